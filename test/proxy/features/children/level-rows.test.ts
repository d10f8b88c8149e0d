// How the rows of a level are gathered: in few groups, which take little memory, and from which any rows can be had.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { constants, gunzipSync, inflateRawSync } from 'node:zlib';
import { resultOf } from '../../../../format/steps.ts';
import { makingPage } from '../../../../proxy/features/children/children-page.ts';
import { RowsWriter, SEPARATOR } from '../../../../proxy/features/children/level-rows.ts';
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

/** Units that follow one another, with how many each of their parents has. */
const FAMILIES = [...Array(300).fill(1), 12, 1, 2, 60, 3, 9, 9, 9, 9, 9, 9, 10, 130, 1, 11] as const;

test('units with few siblings are in one group with those beside them, others in groups of their own', () => {
  const begins = FAMILIES.map((_, i) => FAMILIES.slice(0, i).reduce((sum, own) => sum + own, 0));
  const units = FAMILIES.reduce((sum, own) => sum + own, 0);
  const rows = Array.from({ length: units }, (_, fid) => JSON.stringify({ gid: `AAA.${fid}_1`, name: `Unit ${fid}` }));
  const writer = new RowsWriter(units, (position) => !begins.includes(position));
  for (const row of rows) writer.add(row);
  const level = writer.end();
  // Six of 50 alone, then 12; 1 and 2; 50 and 10; 3 to 9 in 50 and 7; 10; 50, 50 and 30; 1; 11.
  assert.equal([...level.parts(0, units)].length, 18);
  for (const [i, first] of begins.entries()) {
    const end = first + (FAMILIES[i] ?? 0);
    const parts = [...level.parts(first, end)].map((part) => part.deflated());
    const texts = parts.map(({ data }) => inflateRawSync(data, { finishFlush: constants.Z_SYNC_FLUSH }).toString());
    assert.equal(texts.join(SEPARATOR), rows.slice(first, end).join(SEPARATOR));
    const isDeflated = parts.every(({ data, length }) => data.length < length);
    assert.equal(isDeflated, end - first >= 10, `${end - first} units`);
  }
});

test('the part of a group is known by its text alone, whatever is beside it', () => {
  const tagBeside = (name: string): string[] => {
    const writer = new RowsWriter(3, () => true);
    for (const row of ['"A"', '"B"', JSON.stringify(name)]) writer.add(row);
    return Array.from(writer.end().parts(0, 2), ({ tag }) => tag);
  };
  assert.deepEqual(tagBeside('C'), tagBeside('D'));
});

test('a page has at least one row, however long what is before it is', () => {
  const writer = new RowsWriter(2, () => true);
  for (const row of ['"A"', '"B"']) writer.add(row);
  const page = resultOf(makingPage(`[${' '.repeat(2 ** 22)}`, { rows: writer.end(), ranges: [0, 2] }));
  assert.deepEqual([page.count, gunzipSync(page.read()).toString()], [1, `[${' '.repeat(2 ** 22)}"A"\n]}\n`]);
});

test('a page of siblings that lie far apart is made in steps, one of those that lie together at once', () => {
  const rows = Array.from({ length: 50_000 }, (_, fid) => JSON.stringify({ gid: `AAA.${fid}_1`, fid }));
  const writer = new RowsWriter(rows.length, () => false);
  for (const row of rows) writer.add(row);
  const level = writer.end();
  const pageOf = (ranges: number[]) => {
    const steps = makingPage('[', { rows: level, ranges });
    for (let yields = 0; ; yields++) {
      const step = steps.next();
      if (step.done) return { yields, text: gunzipSync(step.value.read()).toString() };
    }
  };
  const apart = Array.from({ length: 1000 }, (_, i) => 50 * i + (i % 50));
  const far = pageOf(apart.flatMap((at) => [at, at + 1]));
  assert.equal(far.text, `[${apart.map((at) => rows[at]).join(SEPARATOR)}\n]}\n`);
  assert.ok(far.yields > 50, `${far.yields}`);
  assert.equal(pageOf([120, 1120]).yields, 0);
});
