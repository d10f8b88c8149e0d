// The selected unit: its facts, and what can be done with it.
import type { BBox } from 'geojson';
import type { Unit } from '../api/client.ts';
import { count, size } from '../api/texts.ts';
import { type NamedUnit, titleOf } from '../api/unit.ts';
import { areaKm2, isTorn } from '../map/geometry/area.ts';
import { shownAddress } from '../state/address.ts';
import type { LevelBelow } from '../state/levels-below.ts';
import { make, makeButton, makeCopyButton, makeDetails, makeFacts, part } from './elements.ts';

export interface FactActions {
  /** The units inside; of the next level where none is named. */
  open: (level: number | undefined) => void;
  /** Brings the unit into sight. */
  zoom: () => void;
  /** Shows the request for this unit alone. */
  request: () => void;
  /** The unit as a file. */
  save: () => void;
  close: () => void;
}

/**
 * Shows the unit; undefined hides the card.
 * @param unit undefined until the service has answered
 * @param hasFailed was there no answer of the service?
 */
export function showFacts(
  row: NamedUnit | undefined,
  unit: Unit | undefined,
  inside: readonly LevelBelow[],
  actions: FactActions,
  hasFailed = false,
) {
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
  const properties = Object.entries(unit?.properties ?? {}).map(([name, value]) => [name, String(value)] as const);
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

function factsOf(
  { gid, fid }: NamedUnit,
  unit: Unit | undefined,
  inside: readonly LevelBelow[],
  hasFailed: boolean,
): [name: string, value: string | Node][] {
  return [
    gid === null ? ['fid', String(fid)] : ['GID', make('code', '', gid)],
    ...inside.map(({ title, units = 0 }) => [title, `${count(units)} inside`] as [string, string]),
    ...shapeFacts(unit, hasFailed),
  ];
}

/** The way in. */
function makeOpen({ children, gid }: NamedUnit, inside: readonly LevelBelow[], { open }: FactActions) {
  // Without units at the next level, those of a deeper one.
  const [{ level, units = children } = { level: undefined }] = inside;
  if (gid === null || (children === 0 && units === 0)) return [];
  const [number, of] = children > 0 ? [children, undefined] : [units, level];
  return [makeButton(`Open ${count(number)} inside`, () => open(of), 'primary')];
}

function makeActions(row: NamedUnit, unit: Unit | undefined, { zoom, save, request }: FactActions) {
  const copy = makeCopyButton('Copy GeoJSON', () => unit?.text ?? '');
  const saving = makeButton('Save GeoJSON', save);
  for (const button of [copy, saving]) button.toggleAttribute('disabled', unit === undefined);
  return make(
    'div',
    'actions',
    makeButton('Zoom to', zoom),
    saving,
    copy,
    makeCopyButton('Copy link', shownAddress),
    ...(row.gid === null ? [] : [makeButton('Request', request)]),
  );
}

/** A ring as published may go from one side of a flat map to the other. */
const TORN = 'crosses the antimeridian; the map cuts it there';

/** @param unit undefined until the service has answered */
function shapeFacts(unit: Unit | undefined, hasFailed: boolean): [name: string, value: string | Node][] {
  if (unit === undefined) return [['Shape', hasFailed ? 'not loaded' : 'loading…']];
  const { bbox } = unit;
  if (unit.geometry === null || bbox === undefined) return [['Shape', make('span', 'chip', 'no geometry')]];
  const parts = unit.geometry.type === 'MultiPolygon' ? unit.geometry.coordinates.length : 1;
  const text = `${count(parts)} ${parts === 1 ? 'part' : 'parts'}, ${size(unit.text?.length ?? 0)} of GeoJSON`;
  const area = areaKm2(unit.geometry);
  return [
    ...(area > 0 ? [['Area', areaText(area)] as [string, string]] : []),
    ['Box', boxText(bbox)],
    ['Shape', text],
    ...(isTorn(unit.geometry) ? [['Outline', TORN] as [string, string]] : []),
  ];
}

/** @param area in km² */
function areaText(area: number) {
  const digits = area >= 100 ? { maximumFractionDigits: 0 } : { maximumSignificantDigits: 3 };
  return `${area.toLocaleString('en', digits)} km²`;
}

/** @param box in degrees */
function boxText([west, south, east, north]: BBox) {
  const side = (degrees: number, plus: string, minus: string) =>
    `${Math.abs(degrees).toFixed(2)}° ${degrees < 0 ? minus : plus}`;
  const crosses = west > east ? ', across the antimeridian' : '';
  return `${side(south, 'N', 'S')} to ${side(north, 'N', 'S')}, ${side(west, 'E', 'W')} to ${side(east, 'E', 'W')}${crosses}`;
}
