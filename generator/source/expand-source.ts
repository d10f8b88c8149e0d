// The datasets of the source: every file of folders and archives, each under the name that GDAL opens. A file that is
// neither a dataset nor part of one nor documentation fails the build: nothing is skipped silently.
import { closeSync, openSync, readdirSync, readSync, statSync } from 'node:fs';
import { basename, extname } from 'node:path';
import { BuildError } from '../report/errors.ts';
import { gdal } from './gdal.ts';
import { isRemote } from './source-options.ts';

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
  /\.(prj|cpg|qpj|sbn|sbx|qix|atx|idm|ind|ain|aih|ixs|mxs|fbn|fbx|csvt|shp\.xml|aux\.xml)$|-(wal|shm|journal)$/i;

/** Documentation, styles, pictures and checksums, which downloads contain beside the data. */
const DOCUMENTS =
  /\.(txt|md|rst|pdf|html?|docx?|odt|rtf|xlsx?|ods|qml|qmd|qlr|sld|lyrx?|qgs|qgz|mxd|png|jpe?g|gif|svg|tiff?|sha\d+|md5|asc|sig|log|py|r|sh|js|ts|url|xml)$|^(readme|licen[cs]e|notice|copying|makefile|checksums)[^.]*$/i;

/** The file type in a file's mode, and its value for folders (POSIX). */
const FILE_TYPE = 0o170000;
const FOLDER_TYPE = 0o040000;

const LFS_POINTER = 'version https://git-lfs.github.com/spec/';

/**
 * The names of all datasets of the source, in the order given, and in alphabetical order in folders and archives.
 * @throws BuildError if a path does not exist, has no dataset, or has a file that is not complete
 */
export function expandSource(source: readonly string[]): string[] {
  return source.flatMap((path) => {
    const found = datasetsOf(path);
    if (found.length > 0) return found;
    throw new BuildError(
      `${path}: no file in it is a dataset`,
      'set --source to the file or folder that holds the boundaries',
    );
  });
}

function datasetsOf(path: string): string[] {
  if (/^https?:\/\//i.test(path)) return datasetsIn(`/vsicurl/${path}`);
  if (path.startsWith('/vsi')) return datasetsIn(path);
  if (isRemote(path)) return [path];
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat === undefined) throw new BuildError(`${path}: no such file or folder`, 'correct --source');
  if (!stat.isDirectory()) refuseLfsPointer(path);
  return datasetsIn(path);
}

/** The datasets of a file, a folder or an archive, in any file system that GDAL knows. */
function datasetsIn(path: string): string[] {
  if (FOLDER_DATASETS.includes(extname(path).toLowerCase())) return [path];
  const archive = archiveOf(path);
  if (archive !== undefined) return datasetsInFolder(archive);
  return isFolder(path) ? datasetsInFolder(path) : [checkedDataset(path)];
}

function datasetsInFolder(folder: string): string[] {
  const names = entriesOf(folder);
  return names.flatMap((name) => {
    const path = `${folder.replace(/\/$/, '')}/${name}`;
    if (COMPANIONS.test(name)) return [];
    if (SHAPEFILE_PARTS.includes(extname(name).toLowerCase())) {
      refuseWithoutShp(path, names);
      return [];
    }
    // A document may have the name of a dataset's format (a GML in .xml), but then it must be named as --source.
    if (DOCUMENTS.test(name) && !isFolder(path)) return [];
    if (!path.startsWith('/vsi') && !isFolder(path)) refuseLfsPointer(path);
    return datasetsIn(path);
  });
}

/** The names in a folder or archive in alphabetical order, without hidden ones. */
function entriesOf(folder: string): string[] {
  let names: string[];
  try {
    names = folder.startsWith('/vsi') ? gdal.fs.readDir(folder) : readdirSync(folder);
  } catch (error) {
    throw new BuildError(
      `${folder}: cannot be read: ${error instanceof Error ? error.message : error}`,
      'check that the download is complete (unzip -t FILE)',
    );
  }
  return names.filter((name) => !name.startsWith('.') && name !== '__MACOSX').sort();
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

/** The name of an archive as a folder; undefined if it is not an archive. */
function archiveOf(path: string): string | undefined {
  const lower = path.toLowerCase();
  const known = [...ARCHIVES].find(([ending]) => lower.endsWith(ending));
  if (known === undefined) return undefined;
  const [, prefix] = known;
  // GDAL's own names of archives: /vsizip/countries.zip is a folder already.
  return path.startsWith(prefix) ? path : `${prefix}${path}`;
}

/** @throws BuildError for a Shapefile that lacks a part: GDAL reads it with units that lack attributes or geometry */
function checkedDataset(path: string): string {
  const extension = extname(path).toLowerCase();
  if (extension !== '.shp' || path.startsWith('/vsicurl/')) return path;
  const folder = path.slice(0, path.length - basename(path).length);
  const names = (folder.startsWith('/vsi') ? gdal.fs.readDir(folder) : readdirSync(folder === '' ? '.' : folder)).map(
    (name) => name.toLowerCase(),
  );
  const stem = basename(path).slice(0, -extension.length).toLowerCase();
  const missing = SHAPEFILE_PARTS.find((part) => !names.includes(stem + part));
  if (missing === undefined) return path;
  throw new BuildError(
    `${path}: the Shapefile is incomplete: there is no ${missing} file beside it`,
    'a Shapefile has at least three files (.shp, .shx, .dbf): download or copy all of them',
  );
}

function refuseWithoutShp(path: string, names: readonly string[]): void {
  const stem = basename(path, extname(path)).toLowerCase();
  if (names.some((name) => name.toLowerCase() === `${stem}.shp`)) return;
  throw new BuildError(
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
