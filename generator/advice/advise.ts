// What to do about problems of the data that stop a build. Each advice fits the data: it is looked for in the source,
// and what would publish something wrong is not offered.
import { shellWord } from '../../format/command-line/messages.ts';
import type { Finding } from '../../format/findings.ts';
import { type Level, levelName } from '../../format/levels.ts';
import { SAID_ENCODING } from '../gdal/open-dataset.ts';
import { readingsOf } from '../source/encodings.ts';
import { keysAdvice, layersAdvice } from '../source/layers-advice.ts';
import type { LayerSource, LevelSource } from '../source/level-source.ts';
import { sourceName } from '../source/source-options.ts';
import { type Codes, readCodes } from './read-codes.ts';

/** What is refused. */
export interface AdviceTask {
  findings: readonly Finding[];
  levels: readonly LevelSource[];
}

/** What to do, most helpful first. Runs in a child process. */
export function advise({ findings, levels }: AdviceTask): string[] {
  const having = (kind: string): LevelSource[] =>
    levels.filter((source) => findings.some((finding) => finding.kind === kind && finding.level === source.level));
  // The levels that were made have columns of their own.
  const isOfSource = ({ layers }: LevelSource): boolean => layers.every(({ madeFrom }) => madeFrom === undefined);
  const [repeated, without] = ['duplicate-gids', 'null-gids'].map((kind) => having(kind).filter(isOfSource));
  const read = new Map<LevelSource, Codes>();
  const codesOf = (source: LevelSource): Codes => {
    const codes = read.get(source) ?? readCodes(source);
    read.set(source, codes);
    return codes;
  };
  const advice = [
    ...(repeated ?? []).map((source) => sameLayerTwice(source) ?? repeatedAdvice(source, codesOf(source))),
    ...(without ?? []).map((source) => withoutGidAdvice(source, codesOf(source))),
    ...having('non-polygonal').map(areasAdvice),
    encodingAdvice(having('unreadable-text')),
  ];
  return [...new Set(advice.filter((text) => text !== undefined))];
}

/** Two files may have the same layer. */
function sameLayerTwice({ level, layers }: LevelSource): string | undefined {
  for (const [at, { path, layer, features }] of layers.entries()) {
    const other = layers.slice(0, at).find((earlier) => earlier.layer === layer && earlier.features === features);
    if (other === undefined || other.path === path) continue;
    const files = `${sourceName(other.path)} and ${sourceName(path)}`;
    return `${files} both have layer ${layer} of level ${level}: leave one out of --source`;
  }
  return undefined;
}

function gidColumnOf({ layers: [layer] }: LevelSource, level: number): string {
  return layer?.gidColumns[level] ?? '';
}

function otherColumns(level: Level, { keys }: Codes): string {
  const [first] = keys;
  return first === undefined
    ? ''
    : `${keysAdvice(keys)}, e.g. --gid-column ${shellWord(`${levelName(level)}=${first}`)}`;
}

/** Features with one GID are pieces of a unit if they agree; otherwise the column is no code, or no code of its own. */
function repeatedAdvice(source: LevelSource, codes: Codes): string {
  const { level } = source;
  const { isAcross, different, otherParents } = codes;
  const [name, column] = [levelName(level), gidColumnOf(source, level)];
  const layers = isAcross ? layersAdvice(source) : undefined;
  const advice = layers === undefined ? '' : `${layers}; or `;
  const others = otherColumns(level, codes);
  if (different !== undefined)
    return `${advice}${column} is probably no code of level ${level}: ${different.gid} is ${different.units.join(' and ')}${others}`;
  if (otherParents === undefined) return `${advice}if units are in pieces, unite them with --dissolve ${name}`;
  const composed = `${gidColumnOf(source, otherParents.level)}+${column}`;
  return `${advice}${column} is no code of its own: ${otherParents.gid} is in ${otherParents.parents.join(' and in ')}; compose it: --gid-column ${shellWord(`${name}=${composed}`)}${others}`;
}

/** Rows without a GID may be no units, such as a line of a map or the sea: a condition leaves them out. */
function withoutGidAdvice(source: LevelSource, codes: Codes): string | undefined {
  const { level, layers } = source;
  const [layer] = layers;
  const column = gidColumnOf(source, level);
  if (layer === undefined || layer.gids[level]?.length !== 1 || column === '') return undefined;
  const others = otherColumns(level, codes);
  if (codes.isEmpty)
    return `no unit of level ${level} has a value in ${column}: name another column${others}; or leave the level out with --levels`;
  if (codes.withoutGid !== undefined)
    return `${codes.withoutGid} has no ${column}, and is probably a unit: ${column} is then not the code of level ${level}${others}`;
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

/** The encodings in which all texts of some levels can be read, with names as each reads them. */
function encodingAdvice(levels: readonly LevelSource[]): string | undefined {
  const [first, ...others] = levels.flatMap(({ layers }) => layers.filter(isOfShapefile)).map(readingsOf);
  const readings = first?.flatMap(({ encodings, names }) => {
    const left = encodings.filter((name) => others.every((own) => own.some((one) => one.encodings.includes(name))));
    return left.length === 0 ? [] : [`--encoding ${left[0]}: ${names.join(', ')}`];
  });
  if (readings === undefined || readings.length === 0) return undefined;
  return `say its encoding, the one that reads names as they are: ${readings.join('; ')}`;
}

function isOfShapefile({ driver }: LayerSource): boolean {
  return SAID_ENCODING.includes(driver);
}
