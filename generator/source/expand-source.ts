// The datasets of the source: every file of folders and archives, each under the name that GDAL opens. A file that is
// neither a dataset nor part of one nor documentation fails the build: nothing is skipped silently.
import { closeSync, openSync, readSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, extname } from 'node:path';
import { gdal } from '../gdal/gdal.ts';
import { BuildError } from '../report/errors.ts';
import { licenceIn, type StatedLicence, UNREAD_LICENCE } from './known-datasets.ts';
import { fileOrFolder, isHidden, isSystemFile, namesIn } from './source-files.ts';
import { isRemote } from './source-options.ts';

/** A dataset of the source. */
export interface FoundDataset {
  /** The name for `gdal.open`. */
  path: string;
  /** Was it found in a folder or an archive, and not named itself? */
  isInFolder: boolean;
}

/** What is in the source. */
export interface ExpandedSource {
  /** In the order given, and in alphabetical order in folders and archives. */
  datasets: readonly FoundDataset[];
  /** Files of operating systems, which are skipped. */
  systemFiles: readonly string[];
  /** Files with the same units as others in other formats, which are skipped. */
  copies: readonly string[];
  /** What the metadata beside the data says of its licence. */
  licences: readonly StatedLicence[];
}

/** Archives that GDAL reads like folders, by ending. */
const ARCHIVES: ReadonlyMap<string, string> = new Map([
  ['.zip', '/vsizip/'],
  ['.tar', '/vsitar/'],
  ['.tgz', '/vsitar/'],
  ['.tar.gz', '/vsitar/'],
]);

/** Folders that GDAL opens as one dataset. */
const FOLDER_DATASETS = ['.gdb'];

/** Parts of a Shapefile without which its units would lack attributes or places. */
const SHAPEFILE_PARTS = ['.dbf', '.shx'];

/** Files that belong to a dataset beside them and that GDAL reads with it. */
const COMPANIONS =
  /\.(prj|cpg|cst|qpj|sbn|sbx|qix|atx|idm|ind|ain|aih|ixs|mxs|fbn|fbx|csvt|shp\.xml|aux\.xml|gfs|xsd)$|-(wal|shm|journal)$/i;

/** Documentation, styles, pictures and checksums, which downloads contain beside the data. */
const DOCUMENTS =
  /\.(txt|md|rst|pdf|html?|docx?|odt|rtf|xlsx?|ods|qml|qmd|qlr|sld|lyrx?|qgs|qgz|mxd|png|jpe?g|gif|svg|tiff?|sha\d+|md5|asc|sig|log|py|r|sh|js|ts|url|xml)$|^(readme|licen[cs]e|notice|copying|makefile|checksums)[^.]*$/i;

/** A download of geoBoundaries has the same units as GeoJSON, simplified, in other formats and in archives. */
const GEOBOUNDARIES = /^geoBoundaries[a-z]*-(\d+_\d+_\d+-)?[a-z]+-ADM\d/i;
/** What is read of it, the best first. */
const GEOBOUNDARIES_KEPT = ['.geojson', '.shp', '.topojson', '-all.zip'];
/** Before 4.0 their names do not begin with that of the dataset. */
const GEOBOUNDARIES_METADATA = /-metaData\.json$/i;

/** The file type in a file's mode, and its value for folders (POSIX). */
const FILE_TYPE = 0o170000;
const FOLDER_TYPE = 0o040000;

const LFS_POINTER = 'version https://git-lfs.github.com/spec/';

/** Maximum number of files and folders in a source. GADM's files of all countries are about 8,000. */
const ENTRIES_MAX = 20_000;

/** Maximum depth of folders and archives in each other. */
const DEPTH_MAX = 16;

/**
 * A larger file is refused if it is so many times the size of its archive: boundaries compress to a tenth, not more.
 */
const INFLATED_BYTES = 1 << 28;
const INFLATED_TIMES = 200;

/**
 * The datasets of the source.
 * @throws BuildError if a path does not exist, has no dataset, or has a file that is not complete
 */
export function expandSource(source: readonly string[]): ExpandedSource {
  const search = new Search();
  const datasets = source.flatMap((path) => {
    const found = search.datasetsOf(path);
    if (found.length > 0) return found;
    throw new BuildError(
      `${path}: no file in it is a dataset`,
      'set --source to the file or folder that holds the boundaries',
    );
  });
  const { systemFiles, copies, licences } = search;
  return { datasets, systemFiles, copies, licences };
}

/** A folder or archive that is being searched. */
interface Folder {
  path: string;
  names: readonly string[];
  /** The names in lower case. */
  lowerCase: ReadonlySet<string>;
  /** Real paths of the folder and of those around it; only if it is local. */
  around: readonly string[];
  depth: number;
  /** Bytes of the archive that it is in; undefined outside of one. */
  archiveBytes: number | undefined;
}

/** Searches a source. */
class Search {
  readonly systemFiles: string[] = [];
  readonly copies: string[] = [];
  readonly licences: StatedLicence[] = [];
  #entries = 0;

  datasetsOf(path: string): FoundDataset[] {
    if (/^(https?|ftp):\/\//i.test(path)) return this.#datasetsIn(`/vsicurl/${path}`, undefined);
    if (path.startsWith('/vsi')) return this.#datasetsIn(path, undefined);
    if (isRemote(path)) return [{ path, isInFolder: false }];
    if (!fileOrFolder(path).isDirectory()) refuseLfsPointer(path);
    return this.#datasetsIn(path, undefined);
  }

  /** The datasets of a file, a folder or an archive, in any file system that GDAL knows. @param parent that it is in */
  #datasetsIn(path: string, parent: Folder | undefined): FoundDataset[] {
    const isInFolder = parent !== undefined;
    if (FOLDER_DATASETS.includes(extname(path).toLowerCase())) return [{ path, isInFolder }];
    const archive = archiveOf(path, isInFolder);
    if (archive !== undefined) return this.#datasetsInFolder(archive, { parent, archiveBytes: bytesOf(path) });
    if (isFolder(path)) return this.#datasetsInFolder(path, { parent, archiveBytes: parent?.archiveBytes });
    refuseIncomplete(path, parent);
    return [{ path, isInFolder }];
  }

  #datasetsInFolder(
    path: string,
    { parent, archiveBytes }: { parent: Folder | undefined; archiveBytes: number | undefined },
  ): FoundDataset[] {
    const depth = (parent?.depth ?? 0) + 1;
    if (depth > DEPTH_MAX)
      throw new BuildError(
        `${path}: more than ${DEPTH_MAX} folders and archives in each other`,
        'set --source to the folder that holds the boundaries',
      );
    const around = path.startsWith('/vsi') ? [] : withRealPath(path, parent);
    const all = entriesOf(path);
    this.#count(path, all.length);
    this.systemFiles.push(...all.filter(isSystemFile).map((name) => `${basename(path)}/${name}`));
    const names = all.filter((name) => !isHidden(name) && !isSystemFile(name));
    const lowerCase = new Set(names.map((name) => name.toLowerCase()));
    const folder = { path, names, lowerCase, around, depth, archiveBytes };
    return names.flatMap((name) => this.#datasetsAt(name, folder));
  }

  #datasetsAt(name: string, folder: Folder): FoundDataset[] {
    const path = `${folder.path.replace(/\/$/, '')}/${name}`;
    const isLocal = !path.startsWith('/vsi');
    const isFile = isLocal && !fileOrFolder(path).isDirectory();
    if (GEOBOUNDARIES_METADATA.test(name)) {
      this.licences.push(isFile ? licenceIn(path) : UNREAD_LICENCE);
      return [];
    }
    if (COMPANIONS.test(name)) return [];
    const extension = extname(name).toLowerCase();
    const hasShp = folder.lowerCase.has(`${name.slice(0, name.length - extension.length).toLowerCase()}.shp`);
    if (SHAPEFILE_PARTS.includes(extension)) {
      if (!hasShp) throw withoutShp(path);
      return [];
    }
    // The attributes of a Shapefile once more, as in GADM 2.
    if (extension === '.csv' && hasShp) return [];
    // A document may have the name of a dataset's format (a GML in .xml), but then it must be named as --source.
    if (DOCUMENTS.test(name) && (isLocal ? isFile : !isFolder(path))) return [];
    const [whole] = GEOBOUNDARIES.exec(name) ?? [];
    const kept = GEOBOUNDARIES_KEPT.find((ending) => folder.names.includes(`${whole}${ending}`));
    if (kept !== undefined && name !== `${whole}${kept}`) {
      this.copies.push(path);
      return [];
    }
    if (isFile) refuseLfsPointer(path);
    if (!isLocal) refuseInflated(path, folder.archiveBytes);
    return this.#datasetsIn(path, folder);
  }

  #count(path: string, entries: number): void {
    this.#entries += entries;
    if (this.#entries > ENTRIES_MAX)
      throw new BuildError(
        `${path}: the source has more than ${ENTRIES_MAX.toLocaleString('en')} files`,
        'set --source to the files or the folder that hold the boundaries',
      );
  }
}

/** The names in a folder or archive, in alphabetical order. */
function entriesOf(folder: string): string[] {
  if (!folder.startsWith('/vsi')) return namesIn(folder);
  try {
    return gdal.fs.readDir(folder).sort();
  } catch (error) {
    throw new BuildError(
      `${folder}: cannot be read: ${error instanceof Error ? error.message : error}`,
      'check that the download is complete (unzip -t FILE)',
    );
  }
}

/** The real paths of a local folder and of those around it. @throws BuildError for a link to one of them */
function withRealPath(path: string, parent: Folder | undefined): string[] {
  const real = realpathSync(path);
  const around = parent?.around ?? [];
  if (around.includes(real))
    throw new BuildError(`${path}: a symbolic link to a folder that it is in`, 'remove the link');
  return [...around, real];
}

function isFolder(path: string): boolean {
  if (!path.startsWith('/vsi')) return statSync(path).isDirectory();
  if (path.startsWith('/vsicurl/')) return false;
  try {
    return (gdal.fs.stat(path).mode & FILE_TYPE) === FOLDER_TYPE;
  } catch {
    return false;
  }
}

/** Bytes of a file; undefined if they are not known before it is read. */
function bytesOf(path: string): number | undefined {
  if (!path.startsWith('/vsi')) return statSync(path).size;
  try {
    return gdal.fs.stat(path).size || undefined;
  } catch {
    return undefined;
  }
}

/** @throws BuildError for a file in an archive that is mostly repetition: it would be read for minutes */
function refuseInflated(path: string, archiveBytes: number | undefined): void {
  const bytes = bytesOf(path);
  if (archiveBytes === undefined || bytes === undefined) return;
  if (bytes <= Math.max(INFLATED_BYTES, INFLATED_TIMES * archiveBytes)) return;
  throw new BuildError(
    `${path}: has ${bytes} bytes, more than ${INFLATED_TIMES} times those of its archive`,
    'this is not a download of boundaries; if it is, unpack it and set --source to its folder',
  );
}

/**
 * The name of an archive as a folder; undefined if it is not an archive.
 * @throws BuildError for one that GDAL cannot read
 */
function archiveOf(path: string, isInFolder: boolean): string | undefined {
  const lower = path.toLowerCase();
  const known = [...ARCHIVES].find(([ending]) => lower.endsWith(ending));
  if (known === undefined) return undefined;
  const [, prefix] = known;
  if (!path.startsWith(prefix)) return `${prefix}${path}`;
  if (isInFolder)
    throw new BuildError(
      `${path}: an archive in an archive of the same kind`,
      'unpack the outer one and set --source to its folder',
    );
  // GDAL's own names of archives: /vsizip/countries.zip is a folder already.
  return path;
}

/** @throws BuildError for a Shapefile that lacks a part: GDAL reads it with units that lack attributes or geometry */
function refuseIncomplete(path: string, parent: Folder | undefined): void {
  const extension = extname(path).toLowerCase();
  if (extension !== '.shp' || path.startsWith('/vsicurl/')) return;
  const beside = parent?.lowerCase ?? new Set(entriesOf(dirname(path)).map((name) => name.toLowerCase()));
  const stem = basename(path).slice(0, -extension.length).toLowerCase();
  const missing = SHAPEFILE_PARTS.find((part) => !beside.has(stem + part));
  if (missing === undefined) return;
  throw new BuildError(
    `${path}: the Shapefile is incomplete: there is no ${missing} file beside it`,
    'a Shapefile has at least three files (.shp, .shx, .dbf): download or copy all of them',
  );
}

function withoutShp(path: string): BuildError {
  return new BuildError(
    `${path}: the Shapefile is incomplete: there is no .shp file beside it`,
    'a Shapefile has at least three files (.shp, .shx, .dbf): download or copy all of them, or remove this one',
  );
}

function refuseLfsPointer(path: string): void {
  const file = openSync(path, 'r');
  const head = Buffer.alloc(LFS_POINTER.length);
  readSync(file, head);
  closeSync(file);
  if (head.toString('latin1') !== LFS_POINTER) return;
  throw new BuildError(`${path}: is a Git LFS pointer, not the data`, 'download the data with git lfs pull');
}
