// Bodies from a stored page: the unchanged bytes of its file. Pages up to 1 MiB are verified before the first byte is
// sent; of larger ones the last chunk is withheld until the digest matches.
import { createHash } from 'node:crypto';
import { digestFrom, digestOf } from '../../format/manifest.ts';
import type { Client, Origin } from '../origin/origin.ts';
import { OriginError } from '../origin/origin.ts';
import type { StoredPage } from './resolve.ts';
import { withholdLast } from './withhold-last.ts';

/** Maximum size of a page that is read into memory and verified as a whole. */
const WHOLE_MAX_BYTES = 1024 * 1024;

/**
 * The gzipped body of a page: a buffer, or a stream for a large page.
 * @throws OriginError if the file does not match the manifest; from a stream, before the last chunk
 */
export function pageToGzip(
  origin: Origin,
  page: StoredPage,
  client: Client,
): Promise<Buffer> | AsyncGenerator<Buffer, void, undefined> {
  return page.bytes > WHOLE_MAX_BYTES ? streamPage(origin, page, client) : readPage(origin, page, client);
}

async function readPage(origin: Origin, page: StoredPage, client: Client): Promise<Buffer> {
  const bytes = await origin.read(page.path, { offset: 0, length: page.bytes }, client);
  if (digestOf(bytes) !== page.digest) throw new OriginError('damaged', page.path);
  return bytes;
}

async function* streamPage(origin: Origin, page: StoredPage, client: Client): AsyncGenerator<Buffer, void, undefined> {
  const sha256 = createHash('sha256');
  yield* withholdLast(
    origin.stream(page.path, { offset: 0, length: page.bytes }, client),
    (chunk) => sha256.update(chunk),
    () => {
      if (digestFrom(sha256.digest()) !== page.digest) throw new OriginError('damaged', page.path);
    },
  );
}
