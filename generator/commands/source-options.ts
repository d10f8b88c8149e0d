// The options of `build` that describe the source; option-texts.ts parses them.
import type { Argv } from 'yargs';
import { declaredOptions } from '../../format/command-line/messages.ts';
import { readConfigFile } from '../cli/config-file.ts';

/** Repeatable: one value or several after the option's name. */
export const LIST = { type: 'string', array: true, requiresArg: true } as const;

/** Adds the options to a command. */
export function addSourceOptions<Known>(args: Argv<Known>) {
  // yargs would keep only the message of an error that is thrown while it parses.
  let configError: unknown;
  return args
    .option('source', {
      ...LIST,
      describe: 'file, folder, zip archive, URL or database connection that GDAL reads; repeatable',
    })
    .option('levels', { ...LIST, defaultDescription: 'all', describe: 'levels to publish, e.g. lv0,lv1' })
    .option('layer', {
      ...LIST,
      describe:
        'source layer of a level or of several, e.g. lv3=communes or lv0,lv1=units; of one file: lv3=FILE:communes; * matches any characters, !NAME leaves one out; repeatable',
    })
    .option('gid-column', {
      ...LIST,
      describe:
        'GID column of a level, e.g. lv0=ISO3, or of a parent, e.g. lv2:lv1=REGION; several joined with dots: lv1=ISO+ID_1; no parent: lv2:lv1=',
    })
    .option('parent-by-place', {
      ...LIST,
      describe:
        'levels without columns of parents: the parent is the unit of the level above that holds the unit, e.g. lv1,lv2; of another level: lv2:lv0',
    })
    .option('dissolve', {
      ...LIST,
      describe:
        'levels whose units are in several features with one GID: unite them, e.g. lv1,lv2; or that only a column of a lower level has: lv1=lv2',
    })
    .option('name-column', { ...LIST, describe: 'column with the names of a level, e.g. lv1=shapeName' })
    .option('type-column', {
      ...LIST,
      describe: 'column with the types of the units of a level, e.g. lv1=ENGTYPE_1',
    })
    .option('type-name', {
      ...LIST,
      describe: 'type of the units of a level that have none in a column, e.g. lv1=Wilaya',
    })
    .option('search-column', {
      ...LIST,
      describe:
        'further column with names of the units of a level, which are found by them, e.g. lv2=ALT_NAME; repeatable',
    })
    .option('where', {
      ...LIST,
      describe: 'features of a level, e.g. "lv1=LEVL_CODE = 1" (SQL condition)',
    })
    .option('sql', {
      ...LIST,
      describe:
        'statement to read instead of the layer of a level, e.g. "lv2=SELECT * FROM {layer} WHERE LEVL_CODE = 2" (OGR SQL)',
    })
    .option('columns', {
      ...LIST,
      describe: 'columns to keep (NAME), drop (-NAME) or rename (NAME:new), comma-separated; of one level: lv1=...',
    })
    .option('keep-fids', {
      type: 'boolean',
      describe: 'fail if fids of merged layers collide, instead of numbering the units of the level 1, 2, 3 ...',
    })
    .option('crs', {
      ...LIST,
      describe:
        'coordinate reference system of layers that state none or a wrong one, e.g. EPSG:4301; of one level: lv1=EPSG:4301',
    })
    .option('encoding', {
      ...LIST,
      describe: 'encoding of the texts of Shapefiles that say none or a wrong one, e.g. CP1252',
    })
    .option('make-valid', {
      type: 'boolean',
      describe: 'repair polygons that are not valid, those that cross themselves: the same area in other rings',
    })
    .config('config', 'JSON file with any of these options; its paths are relative to it', (file) => {
      try {
        return readConfigFile(file, declaredOptions(args));
      } catch (error) {
        configError = error;
        return {};
      }
    })
    .check(() => {
      if (configError !== undefined) throw configError;
      return true;
    });
}
