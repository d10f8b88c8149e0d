// What is going to be read for each level, in lines for people, before it is read: who sees a wrong file, layer or column
// need not wait for the build.
import { levelName } from '../../format/levels.ts';
import { type LayerCrs, wayToText } from './layer-crs.ts';
import { layersAdvice } from './layers-advice.ts';
import { featureCount, isSameLayer, type LevelSource, layerNames, namesInShort } from './level-source.ts';
import type { DatasetDescription } from './level-sources.ts';
import { type SourceOptions, sourceName, valuesFor } from './source-options.ts';

/** A line for each level: its units, files, layers and columns, and how its coordinates come to WGS 84. */
export function planOfLevels({ levels, dissolved, crs }: DatasetDescription, options: SourceOptions): string[] {
  return levels.flatMap((source) => {
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
    return advice === undefined ? [line] : [line, advice];
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
  return `${named('GIDs', layer?.gidColumns[level])}, ${named('names', layer?.nameColumn)}`;
}

/** A CRS, and by what it comes to WGS 84. */
function crsToText({ name, origin, datum, way }: LayerCrs): string {
  if (origin === 'assumed') return 'no CRS, taken for WGS 84';
  if (datum !== 'other' || way === undefined) return name;
  return `${name}${wayToText(way.operations, way.accuracy)}`;
}
