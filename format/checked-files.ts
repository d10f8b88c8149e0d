// The files of a release that its description names, and how each is checked.
import { type JsonObject, numberIn, objectFrom, shownTextsIn, textIn } from './parse.ts';

/** A file of the release, or the beginning of one, that is read whole, and how to check it. */
export interface CheckedFile {
  /** Bytes of the file. */
  bytes: number;
  /** SHA-256 of the file, in hex. */
  sha256: string;
}

/** A file of cells: its beginning is read whole, the rest cell by cell. */
export interface CellsFile extends CheckedFile {
  directory: CheckedFile;
}

/** Vector tiles: an archive, whose root directory is read whole, and beside it what its parts must be. */
export interface TilesFile extends CheckedFile {
  /** The beginning of the archive: header, root directory and metadata. */
  directory: CheckedFile;
  /** tiles.digest, and its beginning. */
  digests: CheckedFile & { head: CheckedFile };
  minzoom: number;
  maxzoom: number;
  /** The languages in which its units have names besides the default ones: their tags; undefined for none. */
  languages?: readonly string[] | undefined;
  /** How many units have a polygon in its tiles of `maxzoom`. */
  units: number;
}

/** A file of neighbours. */
export interface NeighboursFile extends CheckedFile {
  /** The same as a table. */
  table: WholeFile;
}

/** Bytes of each block of a table but the last: units.digest has 8 bytes of the SHA-256 of each. */
export const TABLE_BLOCK_BYTES: number = 64 * 1024;

/** A level as a table, whose blocks are checked by the digests beside it. */
export interface TableFile extends CheckedFile {
  /** Its units. */
  rows: number;
  digests: CheckedFile;
}

/** A file that is served whole: one gzip member. */
export interface WholeFile extends CheckedFile {
  /** Bytes of its text. */
  textBytes: number;
}

/** The member as a file. @throws FormatError that names the member, what was got and what was expected */
export function checkedFileIn(json: JsonObject, member: string, where: string): CheckedFile {
  const place = `${where} ${member}`;
  const file = objectFrom(json[member], place);
  return { bytes: numberIn(file, 'bytes', place), sha256: textIn(file, 'sha256', place) };
}

/** The member as a file that is served whole. @throws FormatError likewise */
export function wholeFileIn(json: JsonObject, member: string, where: string): WholeFile {
  const place = `${where} ${member}`;
  const { bytes, sha256 } = checkedFileIn(json, member, where);
  return { bytes, textBytes: numberIn(objectFrom(json[member], place), 'textBytes', place), sha256 };
}

/** The member `cells`. @throws FormatError likewise */
export function cellsFileIn(json: JsonObject, where: string): CellsFile {
  const file = objectFrom(json['cells'], `${where} cells`);
  return { ...checkedFileIn(json, 'cells', where), directory: checkedFileIn(file, 'directory', `${where} cells`) };
}

/** The member `tiles`. @throws FormatError likewise */
export function tilesFileIn(json: JsonObject, where: string): TilesFile {
  const [file, place] = [objectFrom(json['tiles'], `${where} tiles`), `${where} tiles`];
  const digests = objectFrom(file['digests'], `${place} digests`);
  return {
    ...checkedFileIn(json, 'tiles', where),
    directory: checkedFileIn(file, 'directory', place),
    digests: { ...checkedFileIn(file, 'digests', place), head: checkedFileIn(digests, 'head', `${place} digests`) },
    minzoom: numberIn(file, 'minzoom', place),
    maxzoom: numberIn(file, 'maxzoom', place),
    ...(file['languages'] !== undefined && { languages: shownTextsIn(file, 'languages', place) }),
    units: numberIn(file, 'units', place),
  };
}

/** The member `neighbours`. @throws FormatError likewise */
export function neighboursFileIn(json: JsonObject, where: string): NeighboursFile {
  const place = `${where} neighbours`;
  const file = objectFrom(json['neighbours'], place);
  return { ...checkedFileIn(json, 'neighbours', where), table: wholeFileIn(file, 'table', place) };
}

/** The member `parquet`. @throws FormatError likewise */
export function tableFileIn(json: JsonObject, where: string): TableFile {
  const [file, place] = [objectFrom(json['parquet'], `${where} parquet`), `${where} parquet`];
  return {
    ...checkedFileIn(json, 'parquet', where),
    rows: numberIn(file, 'rows', place),
    digests: checkedFileIn(file, 'digests', place),
  };
}
