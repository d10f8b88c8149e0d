// What to do about problems of the data that stop a build. Each advice fits the data: it is looked for in the source,
// and what would publish something wrong is not offered.
import { elementAt } from '../../format/element-at.ts';
import { type Level, levelName } from '../../format/levels.ts';
import type { Finding } from '../../format/release.ts';
import { takeGdalMessage } from '../gdal/open-dataset.ts';
import { gidFrom } from '../geojson/property-values.ts';
import { readingsOf } from '../source/encodings.ts';
import { layersAdvice } from '../source/layers-advice.ts';
import type { LayerSource, LevelSource } from '../source/level-source.ts';
import { openSelection } from '../source/open-layer.ts';
import { differentUnits, tellingFields, textsIn } from '../source/same-unit.ts';
import { sourceName } from '../source/source-options.ts';
import { newWithParents } from '../store/placed-parents.ts';

/** What is refused. */
export interface AdviceTask {
  findings: readonly Finding[];
  levels: readonly LevelSource[];
}

/** What to do, most helpful first. Runs in a child process. */
export function advise({ findings, levels }: AdviceTask): string[] {
  const ADVISERS: Readonly<Record<string, (source: LevelSource) => string | undefined>> = {
    'duplicate-gids': duplicatesAdvice,
    'null-gids': conditionAdvice,
    'non-polygonal': areasAdvice,
    'unreadable-text': encodingAdvice,
  };
  const advice = Object.entries(ADVISERS).flatMap(([kind, adviser]) =>
    findings
      .filter((finding) => finding.kind === kind)
      .flatMap(({ level }) => levels.filter((source) => source.level === level))
      .flatMap((source) => adviser(source) ?? []),
  );
  return [...new Set(advice)];
}

function duplicatesAdvice({ level, layers, place }: LevelSource): string | undefined {
  if (layers.some(({ madeFrom }) => madeFrom !== undefined)) return undefined;
  return sameLayerTwice(level, layers) ?? repeatedAdvice({ level, layers, place });
}

/** Two files may have the same layer. */
function sameLayerTwice(level: Level, layers: readonly LayerSource[]): string | undefined {
  for (const [at, { path, layer, features }] of layers.entries()) {
    const other = layers.slice(0, at).find((earlier) => earlier.layer === layer && earlier.features === features);
    if (other === undefined || other.path === path) continue;
    const files = `${sourceName(other.path)} and ${sourceName(path)}`;
    return `${files} both have layer ${layer} of level ${level}: leave one out of --source`;
  }
  return undefined;
}

/** Features with one GID are pieces of a unit if they agree; otherwise the column is no code. */
function repeatedAdvice(source: LevelSource): string {
  const { level, layers } = source;
  const { isAcross, different, otherParents, keys } = repeatedIn(source);
  const name = levelName(level);
  const [column = '', parent = ''] = [level, otherParents?.level ?? level].map((n) => layers[0]?.gidColumns[n]);
  const levels = isAcross ? layersAdvice(source) : undefined;
  const others =
    keys.length === 0
      ? ''
      : `; columns without repetition: ${keys.join(', ')}, e.g. --gid-column ${name}=${elementAt(keys, 0)}`;
  if (otherParents !== undefined) {
    const { gid, parents } = otherParents;
    return `${column} is no code of its own: ${gid} is in ${parents.join(' and in ')}; compose it: --gid-column ${name}=${parent}+${column}${others}`;
  }
  const advice = levels === undefined ? '' : `${levels}; or `;
  if (different === undefined) return `${advice}if units are in pieces, unite them with --dissolve ${name}`;
  const { gid, units } = different;
  return `${advice}${column} is probably no code of level ${level}: ${gid} is ${units.join(' and ')}${others}`;
}

/** Maximum number of columns without repetition that are named. */
const LISTED_KEYS = 6;

interface Repeated {
  /** Are features with the same GID in different layers? */
  isAcross: boolean;
  /** Two features with the same GID that are no pieces of one unit. */
  different: { gid: string; units: readonly string[] } | undefined;
  /** Two that have different parents, at this level. */
  otherParents: { gid: string; level: number; parents: readonly string[] } | undefined;
  /** The columns in which no value repeats. */
  keys: readonly string[];
}

/** Reads the attributes of a level. */
function repeatedIn(source: LevelSource): Repeated {
  const { level, layers } = source;
  const withParents = newWithParents(source);
  const firsts = new Map<string, { at: number; texts: (string | null)[]; parents: (string | null)[] }>();
  const [first] = layers;
  const others = [first?.nameColumn, ...(first?.gidColumns ?? [])];
  const columns = first?.columns.filter(({ name }) => !others.includes(name)) ?? [];
  const seen = new Map(columns.map(({ name }) => [name, new Set<string>()]));
  const found: Repeated = { isAcross: false, different: undefined, otherParents: undefined, keys: [] };
  for (const [at, layer] of layers.entries()) {
    const { dataset, layer: opened } = openSelection(layer);
    const telling = tellingFields(layer);
    const fields = new Map(layer.columns.map((column) => [column.name, column.fields]));
    for (const feature of opened.features) {
      const values = withParents(feature.fields.toArray(), feature.fid, layer);
      for (const [name, known] of seen) {
        const value = codeIn(values, fields.get(name) ?? []);
        if (value === undefined || known.has(value)) seen.delete(name);
        else known.add(value);
      }
      const gid = gidFrom(values, elementAt(layer.gids, level));
      if (gid === null) continue;
      const unit = {
        at,
        texts: textsIn(values, telling),
        parents: layer.gids.slice(0, level).map((own) => gidFrom(values, own)),
      };
      const first = firsts.get(gid);
      if (first === undefined) {
        firsts.set(gid, unit);
        continue;
      }
      found.isAcross ||= first.at !== at;
      const units = differentUnits(first.texts, unit.texts);
      if (units !== undefined) found.different ??= { gid, units };
      const n = first.parents.findLastIndex((parent, i) => parent !== null && parent !== unit.parents[i]);
      if (n !== -1)
        found.otherParents ??= { gid, level: n, parents: [first, unit].map(({ parents }) => parents[n] ?? 'none') };
    }
    dataset.close();
    takeGdalMessage();
  }
  return { ...found, keys: [...seen.keys()].slice(0, LISTED_KEYS) };
}

/** Maximum length of a code, in characters. */
const CODE_LENGTH = 60;

/** A value that may be a code; undefined for an area or a length, or for a long text. */
function codeIn(values: readonly unknown[], fields: readonly number[]): string | undefined {
  const isMeasure = fields.some((field) => typeof values[field] === 'number' && !Number.isInteger(values[field]));
  const code = isMeasure ? null : gidFrom(values, fields);
  return code === null || code.length > CODE_LENGTH ? undefined : code;
}

/** Rows without a GID may be no units, such as a line of a map or the sea: a condition leaves them out. */
function conditionAdvice({ level, layers: [layer] }: LevelSource): string | undefined {
  const column = layer?.gidColumns[level] ?? '';
  if (layer === undefined || layer.gids[level]?.length !== 1 || layer.madeFrom !== undefined || column === '')
    return undefined;
  const name = /^\w+$/.test(column) ? column : `"${column}"`;
  // A table without types has empty texts.
  const isGiven = layer.driver === 'CSV' ? "<> ''" : 'IS NOT NULL';
  return `if they are no units, leave them out with --where "${levelName(level)}=${name.replaceAll('"', '\\"')} ${isGiven}"`;
}

/** Points and lines beside the areas, in one layer with them. */
function areasAdvice({ level, layers: [layer] }: LevelSource): string | undefined {
  if (layer === undefined || layer.sql !== undefined || layer.madeFrom !== undefined) return undefined;
  const types = "('POINT','MULTIPOINT','LINESTRING','MULTILINESTRING')";
  const condition = layer.where === undefined ? '' : ` AND (${layer.where.replaceAll('"', '\\"')})`;
  return `points and lines that are no units are left out by --sql "${levelName(level)}=SELECT * FROM {layer} WHERE OGR_GEOMETRY NOT IN ${types}${condition}"`;
}

/** The encodings in which all texts can be read, with names as each reads them. */
function encodingAdvice({ layers }: LevelSource): string | undefined {
  const readings = layers.slice(0, 1).flatMap(readingsOf);
  if (readings.length === 0) return undefined;
  const listed = readings.map(({ encodings, names }) => [`--encoding ${encodings[0]}`, names.join(', ')].join(': '));
  return `say its encoding, the one that reads names as they are: ${listed.join('; ')}`;
}
