// The selected unit: its facts, and what can be done with it.
import { count, size } from '../api/texts.js';
import { titleOf } from '../api/unit.js';
import { areaKm2, isTorn } from '../map/geometry/area.js';
import { make, makeButton, makeCopyButton, makeDetails, makeFacts, part } from './elements.js';

/**
 * @typedef {import('../api/unit.js').NamedUnit} NamedUnit
 * @typedef {import('../api/client.js').Unit} Unit
 * @typedef {import('../state/levels-below.js').LevelBelow} LevelBelow
 *
 * @typedef {object} FactActions
 * @property {(level: number | undefined) => void} open the units inside; of the next level where none is named
 * @property {() => void} zoom brings the unit into sight
 * @property {() => void} request shows the request for this unit alone
 * @property {() => void} save the unit as a file
 * @property {() => void} close
 */

/**
 * Shows the unit; undefined hides the card.
 * @param {NamedUnit | undefined} row
 * @param {Unit | undefined} unit undefined until the service has answered
 * @param {readonly LevelBelow[]} inside
 * @param {FactActions} actions
 * @param {boolean} [hasFailed] was there no answer of the service?
 */
export function showFacts(row, unit, inside, actions, hasFailed = false) {
  const card = part('facts');
  const focused = card.contains(document.activeElement) ? document.activeElement?.textContent : undefined;
  card.hidden = row === undefined;
  document.body.classList.toggle('has-unit', row !== undefined);
  if (row === undefined) return;
  const isOpen = card.querySelector('details')?.open ?? false;
  const title = make('h3', '', titleOf(row));
  title.id = 'facts-title';
  title.tabIndex = -1;
  const close = makeButton('×', actions.close, 'close');
  close.setAttribute('aria-label', `Close ${titleOf(row)}`);
  const properties = Object.entries(unit?.properties ?? {}).map(
    ([name, value]) => /** @type {const} */ ([name, String(value)]),
  );
  const kind = [row.type, `level ${row.level}`].filter((text) => text !== null).join(', ');
  card.replaceChildren(
    make('header', '', make('div', '', title, make('p', 'type', kind)), close),
    ...makeOpen(row, inside, actions),
    // Above the facts: on a low window what is below them is out of sight.
    makeActions(row, unit, actions),
    makeFacts(factsOf(row, unit, inside, hasFailed)),
    ...(unit === undefined ? [] : [makeDetails(`${properties.length} properties`, properties, isOpen)]),
  );
  // The element with the focus is replaced: the button with the same text gets it.
  const buttons = [...card.querySelectorAll('button')];
  if (focused !== undefined) (buttons.find(({ textContent }) => textContent === focused) ?? title).focus();
}

/**
 * @param {NamedUnit} row
 * @param {Unit | undefined} unit
 * @param {readonly LevelBelow[]} inside
 * @param {boolean} hasFailed
 * @returns {[name: string, value: string | Node][]}
 */
function factsOf({ gid, fid }, unit, inside, hasFailed) {
  return [
    gid === null ? ['fid', String(fid)] : ['GID', make('code', '', gid)],
    ...inside.map(({ title, units = 0 }) => /** @type {[string, string]} */ ([title, `${count(units)} inside`])),
    ...shapeFacts(unit, hasFailed),
  ];
}

/**
 * The way in.
 * @param {NamedUnit} row
 * @param {readonly LevelBelow[]} inside
 * @param {FactActions} actions
 */
function makeOpen({ children, gid }, inside, { open }) {
  // Without units at the next level, those of a deeper one.
  const [{ level, units = children } = { level: undefined }] = inside;
  if (gid === null || (children === 0 && units === 0)) return [];
  const [number, of] = children > 0 ? [children, undefined] : [units, level];
  return [makeButton(`Open ${count(number)} inside`, () => open(of), 'primary')];
}

/**
 * @param {NamedUnit} row
 * @param {Unit | undefined} unit
 * @param {FactActions} actions
 */
function makeActions(row, unit, { zoom, save, request }) {
  const copy = makeCopyButton('Copy GeoJSON', () => unit?.text ?? '');
  const saving = makeButton('Save GeoJSON', save);
  for (const button of [copy, saving]) button.toggleAttribute('disabled', unit === undefined);
  return make(
    'div',
    'actions',
    makeButton('Zoom to', zoom),
    saving,
    copy,
    makeCopyButton('Copy link', () => location.href),
    ...(row.gid === null ? [] : [makeButton('Request', request)]),
  );
}

/** A ring as published may go from one side of a flat map to the other. */
const TORN = 'crosses the antimeridian; the map cuts it there';

/**
 * @param {Unit | undefined} unit undefined until the service has answered
 * @param {boolean} hasFailed
 * @returns {[name: string, value: string | Node][]}
 */
function shapeFacts(unit, hasFailed) {
  if (unit === undefined) return [['Shape', hasFailed ? 'not loaded' : 'loading…']];
  const { bbox } = unit;
  if (unit.geometry === null || bbox === undefined) return [['Shape', make('span', 'chip', 'no geometry')]];
  const parts = unit.geometry.type === 'MultiPolygon' ? unit.geometry.coordinates.length : 1;
  const text = `${count(parts)} ${parts === 1 ? 'part' : 'parts'}, ${size(unit.text?.length ?? 0)} of GeoJSON`;
  const area = areaKm2(unit.geometry);
  return [
    ...(area > 0 ? [/** @type {[string, string]} */ (['Area', areaText(area)])] : []),
    ['Box', boxText(bbox)],
    ['Shape', text],
    ...(isTorn(unit.geometry) ? [/** @type {[string, string]} */ (['Outline', TORN])] : []),
  ];
}

/** @param {number} area in km² */
function areaText(area) {
  const digits = area >= 100 ? { maximumFractionDigits: 0 } : { maximumSignificantDigits: 3 };
  return `${area.toLocaleString('en', digits)} km²`;
}

/** @param {import('geojson').BBox} box in degrees */
function boxText([west, south, east, north]) {
  const side = (/** @type {number} */ degrees, /** @type {string} */ plus, /** @type {string} */ minus) =>
    `${Math.abs(degrees).toFixed(2)}° ${degrees < 0 ? minus : plus}`;
  const crosses = west > east ? ', across the antimeridian' : '';
  return `${side(south, 'N', 'S')} to ${side(north, 'N', 'S')}, ${side(west, 'E', 'W')} to ${side(east, 'E', 'W')}${crosses}`;
}
