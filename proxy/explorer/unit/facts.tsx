// The selected unit: its facts, and what can be done with it.
import type { BBox } from 'geojson';
import type { Unit } from '../api/client.ts';
import { count, size } from '../api/texts.ts';
import { type NamedUnit, titleOf } from '../api/unit.ts';
import { CopyButton } from '../controls/copy.tsx';
import { type Fact, FactList } from '../controls/fact-list.tsx';
import { areaKm2, isTorn } from '../map/geometry/area.ts';
import { shownAddress } from '../state/address.ts';
import { levelsInside } from '../state/levels-below.ts';
import { page, showRequest } from '../state/page.ts';
import type { Visit } from '../state/visit.ts';

export function Facts({ visit }: { visit: Visit }) {
  const row = visit.shown.selected.value;
  const answer = visit.shown.unit.value;
  if (row === undefined) return null;
  const unit = answer === 'failed' ? undefined : answer;
  const kind = [row.type, `level ${row.level}`].filter((text) => text !== null).join(', ');
  const properties = Object.entries(unit?.properties ?? {}).map(([name, value]): Fact => [name, String(value)]);
  return (
    <article id="facts" class="unit" aria-labelledby="facts-title">
      <header>
        <div>
          <h3 id="facts-title" tabIndex={-1} {...visit.ofNames}>
            {titleOf(row)}
          </h3>
          <p class="type">{kind}</p>
        </div>
        <button type="button" class="close" aria-label={`Close ${titleOf(row)}`} onClick={() => visit.deselect()}>
          ×
        </button>
      </header>
      <WayIn row={row} visit={visit} />
      {/* Above the facts: on a low window what is below them is out of sight. */}
      <div class="actions">
        <button type="button" onClick={() => visit.zoom()}>
          Zoom to
        </button>
        <button type="button" disabled={unit === undefined} onClick={() => visit.saveUnit()}>
          Save GeoJSON
        </button>
        <CopyButton text="Copy GeoJSON" content={() => unit?.text ?? ''} isOff={unit === undefined} />
        <CopyButton text="Copy link" content={shownAddress} />
        {row.gid !== null && (
          <button type="button" onClick={() => showRequest()}>
            Request
          </button>
        )}
      </div>
      <FactList facts={[...tableFact(row), ...factsOf(row), ...shapeFacts(unit, answer === 'failed')]} />
      {unit && (
        <details>
          <summary>{properties.length} properties</summary>
          <FactList facts={properties} />
        </details>
      )}
    </article>
  );
}

/** What the legend of the map has of it. */
function tableFact({ level, fid }: NamedUnit): Fact[] {
  const { title = '', noteOf } = page.legend.value ?? {};
  const note = noteOf?.(level, fid) ?? '';
  return note === '' ? [] : [[`Table: ${title}`, note]];
}

function factsOf(row: NamedUnit): Fact[] {
  const inside = levelsInside(row).map(({ title, units = 0 }): Fact => [title, `${count(units)} inside`]);
  const codes = Object.entries(row.codes ?? {}).map(([key, code]) => codeFact(key, code));
  return [row.gid === null ? ['fid', String(row.fid)] : codeFact('GID', row.gid), ...codes, ...inside];
}

/** A code, with a button that copies it. */
function codeFact(name: string, code: string): Fact {
  const value = (
    <>
      <code>{code}</code>
      <CopyButton text="Copy" label={`Copy ${name}`} content={() => code} />
    </>
  );
  return [name, value];
}

/** Without units at the next level, those of a deeper one. */
function WayIn({ row, visit }: { row: NamedUnit; visit: Visit }) {
  const [{ level, units = row.children } = { level: undefined }] = levelsInside(row);
  const [number, of] = row.children > 0 ? [row.children, undefined] : [units, level];
  if (row.gid === null || number === 0) return null;
  return (
    <button type="button" class="primary" onClick={() => visit.open(row, of)}>
      Open {count(number)} inside
    </button>
  );
}

/** A ring as published may go from one side of a flat map to the other. */
const TORN = 'crosses the antimeridian; the map cuts it there';

/** @param unit undefined until the service has answered */
function shapeFacts(unit: Unit | undefined, hasFailed: boolean): Fact[] {
  if (unit === undefined) return [['Shape', hasFailed ? 'not loaded' : 'loading…']];
  const { bbox, geometry } = unit;
  if (geometry === null || bbox === undefined)
    return [
      [
        'Shape',
        <span key="shape" class="chip">
          no geometry
        </span>,
      ],
    ];
  const parts = geometry.type === 'MultiPolygon' ? geometry.coordinates.length : 1;
  const area = areaKm2(geometry);
  return [
    ...(area > 0 ? [['Area', areaText(area)] as const] : []),
    ['Box', boxText(bbox)],
    ['Shape', `${count(parts)} ${parts === 1 ? 'part' : 'parts'}, ${size(unit.text?.length ?? 0)} of GeoJSON`],
    ...(isTorn(geometry) ? [['Outline', TORN] as const] : []),
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
  const [low, high] = [side(south, 'N', 'S'), side(north, 'N', 'S')];
  const crosses = west > east ? ', across the antimeridian' : '';
  return `${low} to ${high}, ${side(west, 'E', 'W')} to ${side(east, 'E', 'W')}${crosses}`;
}
