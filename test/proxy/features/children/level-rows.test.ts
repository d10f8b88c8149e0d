// How much memory the rows of a level take while they are gathered.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RowsWriter } from '../../../../proxy/features/children/level-rows.ts';
import { heldBytes } from '../../../support/processes/collect-garbage.ts';

/** A 100th of what a level may have, each of them a group by itself: 400,000 may take 400 MB. */
const [UNITS, MOST_BYTES] = [4000, 4_000_000];

test('rows that are gathered take about the memory of their deflate data, however short their groups are', () => {
  const rows = new RowsWriter(UNITS, () => false);
  const before = heldBytes();
  for (let fid = 0; fid < UNITS; fid++) rows.add(JSON.stringify({ gid: `AAA.${fid}_1`, name: `Unit ${fid}`, fid }));
  const bytes = heldBytes() - before;
  assert.ok(rows.end().bytes > 0 && bytes < MOST_BYTES, `${bytes} bytes`);
});
