// What tasks hold of a store beside that of a level while they read it: they open five, of hundreds of thousands of units.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { createSideStore, openStore, readOffsets, storedText } from '../../../generator/store/feature-store.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

test('of a store beside that of a level 36 bytes a unit are in memory, and not the bytes of its file beside them', () => {
  const file = join(temporaryFolder(), 'texts');
  const units = 1000;
  const store = createSideStore(file, 100);
  for (let fid = units; fid > 0; fid--) store.append(fid, [Buffer.from(`${fid}`.repeat(fid % 50)), Buffer.from('\n')]);
  store.close();
  const { features, ...arrays } = readOffsets(file);
  assert.equal(features, units);
  const held = Object.values(arrays).map(({ buffer }) => buffer.byteLength);
  assert.equal(
    held.reduce((sum, bytes) => sum + bytes, 0),
    36 * units,
  );
  const reader = openStore(file);
  const [text] = [...reader.read([948, 949])].map(storedText);
  assert.equal(String(text), `${'949'.repeat(49)}\n`);
  reader.close();
});
