// What release.json says of how a release was built, in any version of the format. The generator takes it from there
// for `build --like`.
import { storedPagesIn } from './manifest.ts';
import { booleanIn, type JsonObject, listIn, numberIn, objectFrom, textIn, textsIn } from './parse.ts';
import { geometryNamesIn, type ReleaseContents } from './release-json.ts';

/** The options of a build. */
export interface RecordedBuild extends Partial<ReleaseContents> {
  release: string;
  /** The names of the source, and in folders those of the files. */
  source: readonly { name: string }[];
  /** The date to be shown with the data, `YYYY-MM-DD`. */
  date?: string | undefined;
  licence?: string | undefined;
  /** The credits of its data, which may be those of its source alone. */
  attribution?: readonly string[] | undefined;
  /** As `ReleaseAbout` has them. */
  options: Readonly<Record<string, readonly string[]>>;
}

/**
 * Reads them; what a version does not record is left out.
 * @throws FormatError for a member of another form
 */
export function recordedBuildFrom(text: string, file: string): RecordedBuild {
  const json = objectFrom(text, file);
  const options = json['options'] === undefined ? {} : objectFrom(json['options'], `${file} options`);
  return {
    release: textIn(json, 'release', file),
    source: listIn(json, 'source', file).map((entry) => ({ name: textIn(objectFrom(entry, file), 'name', file) })),
    ...memberIn(json, 'date', textIn, file),
    ...memberIn(json, 'licence', textIn, file),
    ...memberIn(json, 'attribution', textsIn, file),
    ...memberIn(json, 'precision', numberIn, file),
    ...memberIn(json, 'storedPages', (all) => storedPagesIn(all, file), file),
    ...memberIn(json, 'geometries', (all) => geometryNamesIn(all, file), file),
    ...memberIn(json, 'cells', booleanIn, file),
    ...memberIn(json, 'tiles', numberIn, file),
    ...memberIn(json, 'neighbours', booleanIn, file),
    ...memberIn(json, 'parquet', booleanIn, file),
    options: Object.fromEntries(Object.keys(options).map((name) => [name, textsIn(options, name, `${file} options`)])),
  };
}

function memberIn<Name extends string, Value>(
  json: JsonObject,
  name: Name,
  read: (json: JsonObject, name: Name, file: string) => Value,
  file: string,
): { [key in Name]?: Value } {
  return json[name] === undefined ? {} : ({ [name]: read(json, name, file) } as { [key in Name]?: Value });
}
