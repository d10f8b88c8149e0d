// What is made of a names file in memory: names and codes, in one pass where they are asked for together, and how
// much memory a pass takes.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { namesPath, releasePath } from '../../../../format/layout.ts';
import { NAME_FIELDS } from '../../../../format/names.ts';
import { contentOptionsFrom } from '../../../../generator/options/option-texts.ts';
import { Releases } from '../../../../proxy/data/hosted-releases.ts';
import { CODES } from '../../../../proxy/features/names/level-codes.ts';
import { jsonReader, NAMES } from '../../../../proxy/features/names/level-names.ts';
import { LevelTypes } from '../../../../proxy/features/names/level-types.ts';
import { NamesFile } from '../../../../proxy/features/names/names-file.ts';
import { squares } from '../../../support/datasets/write-dataset.ts';
import { heldBytes } from '../../../support/processes/collect-garbage.ts';
import { buildLayers } from '../../../support/releases/build-release.ts';
import { notedReads } from '../../../support/watched-origin.ts';

test('parts that are asked for together are made in one pass over the names file', async () => {
  const countries = squares('ADM_0', ['GID_0', 'NAME_0', 'ISO'], ['AAA', 'Aland', 'AX'], ['BBB', null, '-99']);
  const { origin, reads } = notedReads(
    await buildLayers([countries], contentOptionsFrom({ 'code-column': ['lv0:iso2=ISO'] })),
  );
  const releases = new Releases(origin);
  await releases.refresh();
  const level = await releases.requireCurrent().load(0);
  reads.length = 0;
  const [names] = await Promise.all([level.load(NAMES), level.load(CODES)]);
  assert.deepEqual(reads, [join(releasePath('r1'), namesPath(0))]);
  assert.deepEqual([names.nameAt(0).toString(), names.nameAt(1).toString()], ['"Aland"', 'null']);
});

/** A 20th of what a service may meet: 400,000 units with 200 MB of names, which may take 40 MB beside what is made. */
const [MANY, LINE_CHARS, MOST_BYTES] = [20_000, 500, 2_000_000];
const MEASURED_EVERY = 2000;

/** A names file of so many units, all columns of which have texts. */
function longNames(): { zipped: Buffer; textBytes: number } {
  const columns = [...NAME_FIELDS, 'name:fr'];
  const lines = Array.from({ length: MANY }, (_, i) => {
    const values = columns.map((name, at) => (name === 'name:fr' ? `Unité ${i}` : `${name} ${(i * 31 ** at) % 9973}`));
    return JSON.stringify([...values, '.'.repeat(LINE_CHARS - values.join().length)]);
  });
  const text = `${[JSON.stringify(columns), ...lines].join('\n')}\n`;
  return { zipped: gzipSync(text), textBytes: Buffer.byteLength(text) };
}

test('a pass over a long names file has only the file and a little of its text in memory', async () => {
  const { zipped, textBytes } = longNames();
  assert.ok(textBytes > MANY * LINE_CHARS);
  const file = new NamesFile({
    folder: 'r1',
    index: { level: 2, features: MANY },
    summary: { names: { bytes: zipped.length, textBytes, sha256: '' } },
    read: async () => zipped,
  });
  // What compiling takes is not that of a pass.
  await file.read(jsonReader({ features: MANY }, 'name:fr', ''));
  const before = heldBytes() - zipped.length;
  let most = 0;
  const reader = jsonReader({ features: MANY }, 'name:fr', '');
  const add = (values: readonly unknown[], position: number): void => {
    reader.add(values, position);
    if (position % MEASURED_EVERY === 0) most = Math.max(most, heldBytes() - before);
  };
  const made = await file.read({ ...reader, add });
  assert.equal(made.at(MANY - 1).toString(), `"Unité ${MANY - 1}"`);
  const beside = most - made.bytes;
  assert.ok(most > zipped.length && beside < MOST_BYTES, `${most} bytes, ${beside} of them beside the names`);
});

test('the memory of types is counted where each unit has a long one of its own, too', () => {
  const types = Array.from({ length: MANY }, (_, i) => `${i}`.padEnd(LINE_CHARS));
  const { bytes } = new LevelTypes(types, Uint32Array.from(types.keys()));
  assert.ok(bytes > MANY * LINE_CHARS, `${bytes} bytes`);
});

test('names may have more text where they are in many languages, and no more where they are not', async () => {
  const opened = (languages: number): Promise<unknown> => {
    const tags = Array.from({ length: languages }, (_, i) => [`x-${i}`, `NAME_${i}`]);
    const file = new NamesFile({
      folder: 'r1',
      index: { level: 2, features: MANY },
      summary: { names: { bytes: 1, textBytes: 50_000_000, sha256: '' }, nameColumns: Object.fromEntries(tags) },
      read: () => Promise.reject(new Error('is read')),
    });
    return file.read(jsonReader({ features: MANY }, 'name', ''));
  };
  await assert.rejects(opened(30), /is read/);
  await assert.rejects(opened(0), /lv2\/names\.jsonl\.gz: has 50000000 bytes of text, at most \d+ are read/);
});
