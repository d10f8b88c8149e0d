// The cells of a level as a file that is saved.
import { cellsPath } from '../../../format/layout.ts';
import type { Answer } from '../../bodies/answer.ts';
import { Problem } from '../../http/problem.ts';
import type { Listing } from '../pages/listing.ts';
import { CELLS } from '../places/level-places.ts';
import type { SavedEndpoint } from './download-paths.ts';
import { contentBy, type FileContent, PiecedFile } from './pieced-file.ts';
import { answerSaved, storedFilePath } from './saved.ts';

/** Their path. */
export const CELLS_PATH = storedFilePath(
  '.cells',
  'application/octet-stream',
  {
    operationId: 'download-cells',
    summary: 'The cells of a level: with its file of names you can look up points without the service',
  },
  ['CellsFile', 'Cells, as the specification of releases has them.'],
  answerCells,
);

/**
 * The answer with the cells of a level, whole or a range. Reading its body throws OriginError or FormatError.
 * @throws Problem range-not-satisfiable; not-found if the release has none
 */
function answerCells(listing: Listing<SavedEndpoint>): Answer {
  const { level, representation } = listing;
  const { cells, features } = level.summary;
  if (cells === undefined)
    throw new Problem('not-found', `Release ${representation.release.id} has no cells: it was built with --no-cells.`);
  const load = async (): Promise<FileContent> => {
    const { cells } = await level.load(CELLS);
    return contentBy(cells, cells.directory);
  };
  const path = `${level.folder}/${cellsPath(level.index.level)}`;
  return answerSaved(listing, new PiecedFile(path, cells, load), features);
}
