// Damaged tiles over HTTP: none is sent, whether it is damaged itself or what it is found by.
import assert from 'node:assert/strict';
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { elementAt } from '../../../../format/element-at.ts';
import {
  DIRECTORY_MAX_BYTES,
  decodeHeader,
  PMTILES_HEADER_BYTES,
  type TileDirectory,
} from '../../../../format/pmtiles.ts';
import { BLOCK_BYTES, COUNT_BYTES, decodeTileDigests, tileDigestOf } from '../../../../format/tiles.ts';
import { encodeDirectory, encodeHeader } from '../../../../format/write/pmtiles.ts';
import { encodeTileDigests } from '../../../../format/write/tiles.ts';
import { SILENT } from '../../../../generator/report/progress.ts';
import { verify } from '../../../../generator/verify/verify.ts';
import { sha256 } from '../../../support/files.ts';
import { refusal, send } from '../../../support/http/http-client.ts';
import { type RunningService, startService } from '../../../support/http/in-process-proxy.ts';
import { buildCountries } from '../../../support/releases/build-release.ts';
import { resealSummary } from '../../../support/releases/reseal.ts';
import { copyOf } from '../../../support/temporary-folder.ts';
import { watchedOrigin } from '../../../support/watched-origin.ts';

const ARCHIVE = 'releases/r1/lv1/tiles.pmtiles';
const DIGESTS = 'lv1/tiles.digest';
const TILE = '/api/v1/tiles/lv1/0/0/0.mvt';
const built = await buildCountries({ tiles: 0 });

/** @throws Error if the archive is not sent, or not to the end */
async function downloaded(proxy: RunningService): Promise<Buffer> {
  const { status, body } = await send(proxy, '/api/v1/download/lv1.pmtiles');
  assert.equal(status, 200);
  return body;
}

/** A root directory of one leaf. @param length of the leaf, in bytes */
function directoryOfLeaf(length: number): TileDirectory {
  const [id, offset] = [Float64Array.of(0), Float64Array.of(0)];
  return { id, run: Uint32Array.of(0), length: Uint32Array.of(length), offset };
}

test('a directory of tiles that inflates to megabytes, or has such a leaf, is 502, and no leaf is read', async () => {
  const entries = 2 ** 21;
  const many = {
    id: Float64Array.from({ length: entries }, (_, i) => 10 + i),
    run: new Uint32Array(entries).fill(1),
    length: new Uint32Array(entries).fill(1),
    offset: Float64Array.from({ length: entries }, (_, i) => i),
  };
  const toLeaf = directoryOfLeaf(2 ** 25);
  for (const directory of [many, toLeaf]) {
    const own = copyOf(built);
    const root = gzipSync(encodeDirectory(directory));
    const header = decodeHeader(readFileSync(join(own, ARCHIVE)), ARCHIVE);
    const bytes = Buffer.concat([encodeHeader({ ...header, rootLength: root.length }), root]);
    writeFileSync(join(own, ARCHIVE), bytes);
    const file = { bytes: bytes.length, sha256: sha256(bytes) };
    resealSummary(join(own, 'releases/r1'), 1, ({ tiles }) => ({ tiles: { ...tiles, ...file, directory: file } }));
    let longest = 0;
    const origin = watchedOrigin(own, (_path, extent) => {
      if (typeof extent === 'object') longest = Math.max(longest, extent.length);
    });
    const proxy = await startService(own, { origin });
    refusal(await send(proxy, TILE), 502, 'origin-damaged');
    assert.ok(longest < 2 ** 20, `${longest} bytes were read`);
    if (directory === toLeaf) continue;
    const { findings } = await verify({ out: own, workers: 0 }, SILENT);
    assert.ok(
      findings.some(({ problem }) => problem === `inflates to more than ${DIRECTORY_MAX_BYTES} bytes`),
      JSON.stringify(findings),
    );
  }
});

test('a tile that is damaged is 502, by itself and in the archive; a damaged beginning is 502, too', async () => {
  for (const at of [200, -40]) {
    const own = copyOf(built);
    const file = join(own, ARCHIVE);
    const bytes = readFileSync(file);
    const byte = at < 0 ? bytes.length + at : at;
    writeFileSync(file, bytes.with(byte, elementAt(bytes, byte) ^ 1));
    const proxy = await startService(own);
    for (const headers of [{ 'accept-encoding': 'gzip' }, {}])
      refusal(await send(proxy, TILE, headers), 502, 'origin-damaged');
    await assert.rejects(downloaded(proxy));
  }
  // All digests are right, but the file goes on where its header ends: nothing of it is sent.
  const longer = copyOf(built);
  appendFileSync(join(longer, ARCHIVE), Buffer.alloc(8));
  resealSummary(join(longer, 'releases/r1'), 1, ({ tiles }) => ({
    tiles: tiles && { ...tiles, bytes: tiles.bytes + 8 },
  }));
  const whole = await startService(longer);
  assert.equal((await send(whole, TILE)).status, 200);
  refusal(await send(whole, '/api/v1/download/lv1.pmtiles'), 502, 'origin-damaged');
  const other = copyOf(built);
  writeFileSync(join(other, 'releases/r1', DIGESTS), readFileSync(join(built, 'releases/r1/lv0/tiles.digest')));
  refusal(await send(await startService(other), TILE), 502, 'origin-damaged');
});

test('a damaged leaf and a damaged block of tiles.digest, which read as right ones do, are 502, and verify finds them', async () => {
  const folder = join(built, 'releases/r1');
  const before = readFileSync(join(built, ARCHIVE));
  const header = decodeHeader(before, ARCHIVE);
  const { metadata, data } = header;
  // The entries as a leaf, which those of thousands of tiles are.
  const leaf = before.subarray(PMTILES_HEADER_BYTES, PMTILES_HEADER_BYTES + header.rootLength);
  const root = gzipSync(encodeDirectory(directoryOfLeaf(leaf.length)));
  const metadataAt = PMTILES_HEADER_BYTES + root.length;
  const leafAt = metadataAt + metadata.length;
  const begin = Buffer.concat([
    encodeHeader({
      ...header,
      rootLength: root.length,
      metadata: { ...metadata, offset: metadataAt },
      leaves: { offset: leafAt, length: leaf.length },
      data: { ...data, offset: leafAt + leaf.length },
    }),
    root,
    before.subarray(metadata.offset, metadata.offset + metadata.length),
  ]);
  const archive = Buffer.concat([begin, leaf, before.subarray(data.offset)]);
  const records = readFileSync(join(folder, DIGESTS));
  const known = decodeTileDigests(records.subarray(0, COUNT_BYTES + BLOCK_BYTES), DIGESTS);
  const head = encodeTileDigests({ ...known, leaves: tileDigestOf(leaf) });
  const digests = Buffer.concat([head, records.subarray(known.bytes)]);

  const checked = (bytes: Buffer) => ({ bytes: bytes.length, sha256: sha256(bytes) });
  // The time of gzip's header, and the digest of a record.
  for (const [leafByte, recordByte, problem] of [
    [undefined, undefined, undefined],
    [leafAt + 4, undefined, 'leaf 0 is not what tiles.digest says'],
    [undefined, head.length + 8, 'block 0 is not what tiles.digest says'],
  ] as const) {
    const own = copyOf(built);
    const flipped = (bytes: Buffer, at: number | undefined): Buffer =>
      at === undefined ? bytes : Buffer.from(bytes.with(at, elementAt(bytes, at) ^ 1));
    const files = [flipped(archive, leafByte), flipped(digests, recordByte)] as const;
    writeFileSync(join(own, ARCHIVE), files[0]);
    writeFileSync(join(own, 'releases/r1', DIGESTS), files[1]);
    resealSummary(join(own, 'releases/r1'), 1, ({ tiles }) => ({
      tiles: {
        ...tiles,
        ...checked(files[0]),
        directory: checked(begin),
        digests: { ...checked(files[1]), head: checked(head) },
      },
    }));
    const proxy = await startService(own);
    const answer = await send(proxy, TILE);
    if (problem === undefined) {
      assert.equal(answer.status, 200);
      assert.deepEqual(await downloaded(proxy), archive);
    } else {
      refusal(answer, 502, 'origin-damaged');
      await assert.rejects(downloaded(proxy));
    }
    const { findings } = await verify({ out: own, workers: 0 }, SILENT);
    assert.deepEqual(
      findings.map((finding) => finding.problem),
      problem === undefined ? [] : [problem],
    );
  }
});
