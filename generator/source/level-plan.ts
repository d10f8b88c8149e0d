// What is going to be read for each level, in lines for people, before it is read: who sees a wrong file, layer or column
// need not wait for the build.
import { levelName } from '../../format/levels.ts';
import { TAGGED_KINDS, tagsToText } from './asked-columns.ts';
import { type LayerCrs, wayToText } from './layer-crs.ts';
import { layersAdvice } from './layers-advice.ts';
import {
  featureCount,
  foundIn,
  isSameLayer,
  type LevelSource,
  layerNames,
  namesInShort,
  type TaggedColumn,
} from './level-source.ts';
import type { DatasetDescription } from './level-sources.ts';
import { ALL, type SourceOptions, sourceName, valuesFor } from './source-options.ts';

/** A line for each level: its units, files, layers and columns, and how its coordinates come to WGS 84. */
export function planOfLevels(description: DatasetDescription, options: SourceOptions): string[] {
  return [...description.levels.flatMap((source) => planOfLevel(source, description, options)), ...offers(description)];
}

function planOfLevel(source: LevelSource, { dissolved, crs }: DatasetDescription, options: SourceOptions): string[] {
  const { level, layers } = source;
  const isUnited = layers.some(({ path, layer }) =>
    dissolved.some((own) => own.levels.includes(level) && isSameLayer(own, { path, layer })),
  );
  const count = featureCount(source);
  const what = count === 1 ? ['feature', 'unit'] : ['features', 'units'];
  const units = `${count.toLocaleString('en')} ${isUnited ? `${what[0]}, to be united by GID` : what[1]}`;
  const leftOut = layers.reduce((sum, layer) => sum + layer.leftOut, 0);
  const rest = leftOut === 0 ? '' : ` (--where leaves out ${leftOut.toLocaleString('en')})`;
  const own = crs.filter((one) => one.level === level);
  const where = `${namesInShort(layers.map(({ path }) => sourceName(path)))}: ${layers.length === 1 ? 'layer' : 'layers'} ${layerNames(source)}`;
  const line = `${levelName(level)}: ${units}${rest}, of ${where}; ${columnsOf(source)}; ${[...new Set(own.map(crsToText))].join(', ')}`;
  const advice = isOfOneColumn(source, options) ? layersAdvice(source) : undefined;
  return [line, ...(advice === undefined ? [] : [advice]), ...lackedColumns(source)];
}

/** The columns with names in languages, and with codes, that only some layers of a level have. */
function lackedColumns({ level, layers }: LevelSource): string[] {
  const { languages = [], codes = [] } = layers[0] ?? {};
  const tagged = [
    ...languages.map(([tag, column]) => ({ column, what: `name in ${tag}` })),
    ...codes.map(([key, column]) => ({ column, what: `code ${key}` })),
  ];
  return tagged.flatMap(({ column, what }) => {
    const [first, ...others] = layers.filter(({ columns }) => !columns.some(({ name }) => name === column));
    if (first === undefined) return [];
    const where = `${foundIn(first)}${others.length === 0 ? '' : ` and ${others.length} more`}`;
    return [`${levelName(level)}: no column ${column} in ${where}: its units have no ${what}`];
  });
}

/** Number of tags in an example. */
const SHOWN_TAGS = 2;

/** What else there is that can be asked for. */
function offers({ offered }: DatasetDescription): string[] {
  return TAGGED_KINDS.flatMap((kind) => {
    const tags = offered[kind];
    if (tags.length === 0) return [];
    return [`${tagsToText(kind, tags)}: published with --${kind} ${tags.slice(0, SHOWN_TAGS).join()}, or ${ALL}`];
  });
}

/** Are several layers of one level only because they have the column that an option names? */
function isOfOneColumn({ level }: LevelSource, { gidColumns = [], layers }: SourceOptions): boolean {
  return (
    valuesFor(layers, level).length === 0 && gidColumns.some(({ of, columns }) => of === level && columns.length > 0)
  );
}

function columnsOf({ level, layers: [layer] }: LevelSource): string {
  const named = (label: string, column: string | undefined): string =>
    column ? `${label} in ${column}` : `no ${label}`;
  const tags = (columns: readonly TaggedColumn[] = []): string => columns.map(([tag]) => tag).join(', ');
  const [languages, codes] = [tags(layer?.languages), tags(layer?.codes)];
  return [
    named('GIDs', layer?.gidColumns[level]),
    `${named('names', layer?.nameColumn)}${languages === '' ? '' : ` (and in ${languages})`}`,
    ...(codes === '' ? [] : [`codes ${codes}`]),
  ].join(', ');
}

/** A CRS, and by what it comes to WGS 84. */
function crsToText({ name, origin, datum, way }: LayerCrs): string {
  if (origin === 'assumed') return 'no CRS, taken for WGS 84';
  if (datum !== 'other' || way === undefined) return name;
  return `${name}${wayToText(way.operations, way.accuracy)}`;
}
