// A level as a table, GeoParquet, that is saved: readers take ranges of it, each block of which is checked.

import { TABLE_BLOCK_BYTES } from '../../../format/checked-files.ts';
import { tableDigestsPath, unitsTablePath } from '../../../format/layout.ts';
import type { Answer } from '../../bodies/answer.ts';
import { BlockFile } from '../../data/block-file.ts';
import type { Part } from '../../data/loaded-release.ts';
import { Problem } from '../../http/problem.ts';
import type { Listing } from '../pages/listing.ts';
import type { SavedEndpoint } from './download-paths.ts';
import { contentBy, PiecedFile } from './pieced-file.ts';
import { answerSaved, storedFilePath } from './saved.ts';

/** Its path. */
export const PARQUET_PATH = storedFilePath(
  '.parquet',
  'application/vnd.apache.parquet',
  {
    operationId: 'download-parquet',
    summary: 'A level as a table, GeoParquet, with all properties and geometries; clients read it whole or in ranges',
  },
  ['ParquetFile', 'GeoParquet 1.1.'],
  answerParquet,
);

/**
 * The answer with the table of a level, whole or a range. Reading its body throws OriginError.
 * @throws Problem range-not-satisfiable; not-found if the release has none
 */
function answerParquet(listing: Listing<SavedEndpoint>): Answer {
  const { level, representation } = listing;
  const { parquet, features } = level.summary;
  if (parquet === undefined)
    throw new Problem(
      'not-found',
      `Release ${representation.release.id} has no table of this level: it was built with --no-parquet, or the level has no units.`,
    );
  const path = `${level.folder}/${unitsTablePath(level.index.level)}`;
  const content = async () => contentBy(await level.load(TABLE_BLOCKS));
  return answerSaved(listing, new PiecedFile(path, parquet, content), features);
}

/** The digests of the blocks of a table. */
const TABLE_BLOCKS: Part<BlockFile> = {
  name: 'blocks of the table',
  type: BlockFile,
  async load(loaded) {
    const { level, parquet } = loaded.summary;
    if (parquet === undefined) throw new RangeError(`level ${level} has no table`);
    return new BlockFile(parquet.bytes, TABLE_BLOCK_BYTES, await loaded.read(tableDigestsPath(level), parquet.digests));
  },
};
