// Which fields of a layer hold the GIDs of its units and of their parents, and which their names and types: as the
// options say, otherwise by the schemas of published boundary datasets.
import { LEVELS, type Level, levelName } from '../../format/levels.ts';
import { BuildError } from '../report/errors.ts';
import type { LayerSource, LevelLayer, SourceField } from './level-source.ts';
import { NAME_COLUMNS, SCHEMAS } from './schemas.ts';
import { type GidColumnOption, type SourceOptions, valuesFor } from './source-options.ts';

/**
 * The fields of the GIDs of level `n` in a layer of level `level`: as the options say, otherwise by the known schemas.
 * @returns undefined if the layer lacks a column; empty if the options say that there is no parent at that level
 */
export function gidFieldsFor(
  n: Level,
  level: Level,
  fields: readonly SourceField[],
  options: SourceOptions,
): number[] | undefined {
  const option = optionFor(n, level, options);
  if (option !== undefined) return isOwnColumn(option, level, options) ? undefined : indexesOf(option.columns, fields);
  return schemaFields(n, fields);
}

/**
 * The same where the parents that are found by place have theirs by place, too: a column that an option names for all
 * levels is that of the level's own layer, e.g. `name`, and here it may be anything.
 */
export function gidFieldsBesidePlace(
  n: Level,
  level: Level,
  fields: readonly SourceField[],
  options: SourceOptions,
): number[] | undefined {
  const option = optionFor(n, level, options);
  return option?.level === level ? indexesOf(option.columns, fields) : schemaFields(n, fields);
}

function schemaFields(n: Level, fields: readonly SourceField[]): number[] | undefined {
  for (const schema of SCHEMAS) {
    const indexes = schema.gid && indexesOf(schema.gid(n), fields);
    const isSchema = schema.marker === undefined || indexesOf([schema.marker], fields) !== undefined;
    if (indexes !== undefined && isSchema) return indexes;
  }
  return undefined;
}

/**
 * A column that has the GIDs of the units themselves has not those of their parents, unless an option says so of this
 * level.
 */
function isOwnColumn(option: GidColumnOption, level: Level, options: SourceOptions): boolean {
  return option.level === undefined && option.of < level && isSame(option, optionFor(level, level, options));
}

/** Is a layer of a schema whose downloads have layers without GIDs, of border lines and points, beside the areas? */
export function isBesideLines(fields: readonly SourceField[]): boolean {
  return SCHEMAS.some(
    ({ gid, hasLines }) => gid && hasLines && LEVELS.some((level) => indexesOf(gid(level), fields) !== undefined),
  );
}

function isSame(one: GidColumnOption, other: GidColumnOption | undefined): boolean {
  return one.columns.join('+') === other?.columns.join('+');
}

/** The last --gid-column for the GIDs of level `n` in layers of level `level`; one for that level only comes first. */
function optionFor(n: Level, level: Level, { gidColumns = [] }: SourceOptions): GidColumnOption | undefined {
  const options = gidColumns.filter(({ of }) => of === n);
  return (
    options.findLast((option) => option.level === level) ?? options.findLast((option) => option.level === undefined)
  );
}

/** A layer that lacks columns of GIDs. */
export interface MissingColumns {
  levelLayer: LevelLayer;
  levels: readonly Level[];
  /** The columns that were looked for. */
  wanted: readonly string[];
  /** Those that the layer has. */
  columns: readonly string[];
}

/**
 * The fields of the GIDs 0 .. level of a layer; empty where there is none. One that lacks the column of a level which
 * the source does not have either has no parent there.
 * @param present the levels that the source has
 * @param placed the levels whose GIDs the units get from a parent that is found by place: their fields follow those of
 *   the layer, and other parents need no columns
 * @returns also the columns that the layer lacks
 */
export function findGids(
  levelLayer: LevelLayer,
  fields: readonly SourceField[],
  options: SourceOptions,
  present: readonly Level[],
  placed: readonly Level[],
): { gids: number[][]; missing: MissingColumns[] } {
  const { level } = levelLayer;
  const levels = LEVELS.slice(0, level + 1);
  const found = levels.map((n) => {
    if (placed.includes(n)) return [fields.length + placed.indexOf(n)];
    const indexes = gidFieldsFor(n, level, fields, options);
    return indexes?.length === 0 && n === level ? undefined : indexes;
  });
  const isExpected = (n: Level): boolean => {
    if (n === level) return true;
    const named = optionFor(n, level, options);
    return placed.length === 0 && (present.includes(n) || (named !== undefined && !isOwnColumn(named, level, options)));
  };
  const lacking = levels.filter((n) => found[n] === undefined && isExpected(n));
  const wanted = lacking.map((n) => {
    const named = optionFor(n, level, options)?.columns ?? [];
    return named.length > 0 && indexesOf(named, fields) === undefined ? named.join('+') : `GID_${n}`;
  });
  const columns = fields.map(({ name }) => name);
  const missing = lacking.length === 0 ? [] : [{ levelLayer, levels: lacking, wanted, columns }];
  return { gids: found.map((indexes) => indexes ?? []), missing };
}

/** Maximum number of layers that an error lists. */
const LISTED_MAX = 8;

/** A layer with its columns. */
interface NamedLayer {
  source: LayerSource;
  names: readonly string[];
  missing: readonly MissingColumns[];
}

/**
 * @param layers from the highest level down
 * @throws BuildError that names all columns of GIDs that the layers lack
 */
export function refuseMissingColumns(layers: readonly NamedLayer[]): void {
  const missing = layers.flatMap((layer) => layer.missing);
  if (missing.length === 0) return;
  const first = layers[0]?.source.level ?? 0;
  const lines = missing.map(
    ({ levelLayer: { path, layer, level }, wanted }) =>
      `${path}: layer ${layer} is level ${level} but has no column ${wanted.join(', ')}`,
  );
  const listed = lines.slice(0, LISTED_MAX);
  if (lines.length > LISTED_MAX) listed.push(`and ${lines.length - LISTED_MAX} more`);
  const pairs = missing.flatMap(({ levelLayer: { level }, levels }) => levels.map((n) => [level, n] as const));
  const options = (some: typeof pairs, value: string): string =>
    [
      ...new Set(
        some.map(([level, n]) =>
          n === level ? `${levelName(n)}=${value}` : `${levelName(level)}:${levelName(n)}=${value}`,
        ),
      ),
    ].join(' ');
  const parents = pairs.filter(([level, n]) => n < level);
  const nested = [...new Set(parents.filter(([level]) => level > first).map(([level]) => levelName(level)))];
  const columns = [...new Set(missing.map(({ columns }) => columns.join(', ')))];
  throw new BuildError(
    lines.length === 1 ? listed : ['columns of GIDs are missing:', ...listed],
    [
      exchangedAdvice(layers),
      `name ${pairs.length === 1 ? 'it' : 'them'} with --gid-column ${options(pairs, 'COLUMN')}`,
      ...(parents.length === 0 ? [] : [`, or --gid-column ${options(parents, '')} if there is none`]),
      ...(nested.length === 0 ? [] : [`, or find the parents by place with --parent-by-place ${nested.join()}`]),
      `; ${missing.length === 1 ? 'the layer has' : 'the layers have'} ${columns.join('; ')}`,
    ].join(''),
  );
}

/** What to do where a layer lacks the column of a parent that itself has the column of the layer: units of it lie there. */
function exchangedAdvice(layers: readonly NamedLayer[]): string {
  for (const { source, missing } of layers) {
    const own = source.gidColumns[source.level];
    const lacked = missing.flatMap(({ levels }) => levels);
    const above = layers.find(
      ({ source: { level, gidColumns }, names }) =>
        lacked.includes(level) && own !== undefined && own !== gidColumns[level] && names.includes(own),
    );
    if (above === undefined || above.source.level === source.level) continue;
    const [high, low] = [levelName(above.source.level), levelName(source.level)];
    return `exchange ${high} and ${low}, if they are the wrong way round, as layer ${above.source.layer} has ${own}, and levels go from large units to small ones; or `;
  }
  return '';
}

/**
 * The field with the units' names, or with their types, e.g. `Province`: the one that an option names, otherwise the
 * first of the known columns that the layer has; undefined if there is none.
 */
export function labelFieldOf(
  label: 'name' | 'type',
  level: Level,
  fields: readonly SourceField[],
  options: SourceOptions,
): number | undefined {
  const known =
    label === 'name'
      ? [...SCHEMAS.flatMap((schema) => schema.names?.(level) ?? []), ...NAME_COLUMNS]
      : SCHEMAS.flatMap((schema) => schema.types?.(level) ?? []);
  const chosen = valuesFor(options[`${label}Columns`], level).at(-1);
  for (const name of chosen === undefined ? known : [chosen]) {
    const [at] = indexesOf([name], fields) ?? [];
    if (at !== undefined) return at;
  }
  return undefined;
}

/**
 * The fields with other names of the units: those of the known schemas that the layer has, and those that an option
 * names.
 */
export function otherNameFieldsOf(level: Level, fields: readonly SourceField[], options: SourceOptions): number[] {
  const known = SCHEMAS.flatMap((schema) => schema.otherNames?.(level) ?? []);
  const names = [...known, ...valuesFor(options.searchColumns, level)];
  return [...new Set(names.flatMap((name) => indexesOf([name], fields) ?? []))];
}

/** The field with a name, or else with one that differs by case alone. */
export function fieldNamed(name: string, fields: readonly SourceField[]): number | undefined {
  return indexesOf([name], fields)?.[0];
}

/** The indexes of columns by name, as `fieldNamed`; undefined if one is missing. */
function indexesOf(names: readonly string[], fields: readonly SourceField[]): number[] | undefined {
  const indexes = names.map((name) => {
    const exact = fields.findIndex((field) => field.name === name);
    return exact === -1 ? fields.findIndex((field) => field.name.toLowerCase() === name.toLowerCase()) : exact;
  });
  return indexes.includes(-1) ? undefined : indexes;
}
