// The options that describe the source, for `build` and `verify`, and their values.
import type { Argv } from 'yargs';
import { LEVELS, levelName } from '../../format/levels.ts';
import { gidColumnFrom, levelOptionFrom, levelOptionsFrom, levelsFrom } from '../cli/parse-options.ts';
import type { SourceOptions } from '../source/source-options.ts';

/** Repeatable: one value or several after the option's name. */
export const LIST = { type: 'string', array: true, requiresArg: true } as const;

/** Adds the options to a command. */
export function addSourceOptions<Known>(args: Argv<Known>) {
  return args
    .option('source', {
      ...LIST,
      describe: 'file, folder, zip archive, URL or database connection that GDAL reads; repeatable',
    })
    .option('levels', { ...LIST, default: LEVELS.map(levelName), describe: 'levels to publish, e.g. lv0,lv1' })
    .option('layer', {
      ...LIST,
      default: [],
      describe:
        'source layer of a level or of several, e.g. lv3=communes or lv0,lv1=units; * matches any characters; repeatable',
    })
    .option('gid-column', {
      ...LIST,
      default: [],
      describe:
        'GID column of a level, e.g. lv0=ISO3, or of a parent, e.g. lv2:lv1=REGION; several joined with dots: lv1=ISO+ID_1; no parent: lv2:lv1=',
    })
    .option('name-column', { ...LIST, default: [], describe: 'column with the names of a level, e.g. lv1=shapeName' })
    .option('type-column', {
      ...LIST,
      default: [],
      describe: 'column with the types of the units of a level, e.g. lv1=ENGTYPE_1',
    })
    .option('where', {
      ...LIST,
      default: [],
      describe: 'features of a level, e.g. "lv1=LEVL_CODE = 1" (SQL condition)',
    })
    .option('sql', {
      ...LIST,
      default: [],
      describe:
        'statement to read instead of the layer of a level, e.g. "lv2=SELECT * FROM {layer} WHERE LEVL_CODE = 2" (OGR SQL)',
    })
    .option('columns', {
      ...LIST,
      default: [],
      describe: 'columns to keep (NAME), drop (-NAME) or rename (NAME:new), comma-separated; of one level: lv1=...',
    })
    .option('keep-fids', {
      type: 'boolean',
      default: false,
      describe: 'fail if fids of merged layers collide, instead of numbering the units of the level 1, 2, 3 ...',
    })
    .config('config', 'JSON file with any of these options');
}

/** Values of these options. */
interface SourceArguments {
  source: readonly string[] | undefined;
  levels: readonly string[];
  layer: readonly string[];
  gidColumn: readonly string[];
  nameColumn: readonly string[];
  typeColumn: readonly string[];
  where: readonly string[];
  sql: readonly string[];
  columns: readonly string[];
  keepFids: boolean;
}

/** Parses the options. @throws UsageError */
export function sourceOptionsFrom(argv: SourceArguments): SourceOptions {
  const byLevel = (option: string, entries: readonly string[]) =>
    entries.flatMap((entry) => levelOptionsFrom(option, entry));
  return {
    source: argv.source ?? [],
    levels: levelsFrom('--levels', argv.levels),
    layers: byLevel('--layer', argv.layer),
    gidColumns: argv.gidColumn.map((entry) => gidColumnFrom('--gid-column', entry)),
    nameColumns: byLevel('--name-column', argv.nameColumn),
    typeColumns: byLevel('--type-column', argv.typeColumn),
    where: byLevel('--where', argv.where),
    sql: byLevel('--sql', argv.sql),
    columns: argv.columns.map((entry) => levelOptionFrom('--columns', entry, 'optional')),
    keepFids: argv.keepFids,
  };
}
