// GID columns: GIDs in ascending order of their UTF-8 bytes, looked up exactly, with the positions that each covers.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { gidColumn } from '../../format/gid-column.ts';
import { makeColumn } from './make-level.ts';

/** The GIDs of a column by number. */
function gidsOf(gids: readonly (string | null)[]): string[] {
  const column = makeColumn('GID_0', gids);
  return Array.from({ length: column.size }, (_, number) => column.gidAt(number));
}

const gid = fc.oneof(
  fc.constantFrom('A', 'B', 'A.1', 'A.1_1', '?', 'é', 'É', '東', '\uffff', '\u{10000}', '\u{10ffff}', '\ue000', ''),
  fc.string({ unit: 'binary', maxLength: 5 }),
);
const gids = fc.array(fc.option(gid, { nil: null, freq: 4 }), { maxLength: 40 });

test('the order is that of the UTF-8 bytes: U+10000 after U+E000 and U+FFFF, a prefix before what it begins', () => {
  fc.assert(
    fc.property(gids, (owners) => {
      const texts = gidsOf(owners).map((one) => Buffer.from(one));
      for (const [i, text] of texts.entries()) {
        const next = texts[i + 1];
        assert.ok(next === undefined || Buffer.compare(text, next) < 0, `${text} before ${next}`);
      }
    }),
  );
});

test('a GID that does not occur is not found: another case, a prefix, an extension, the empty text', () => {
  const column = makeColumn('GID_0', ['ITA.4_1', 'ITA.4_10', 'ITA', 'é']);
  for (const absent of ['', ...'I|ITA.|ITA.4_|ITA.4_1\0|ITA.4_100|ita|ITA |e\u0301|È|\uffff|A|Z'.split('|')])
    assert.equal(column.find(absent), -1, JSON.stringify(absent));
  for (const present of ['ITA', 'ITA.4_1', 'ITA.4_10', 'é']) assert.notEqual(column.find(present), -1, present);
});

test('a lone surrogate has no UTF-8 form: it is looked up as U+FFFD, as encoders write it', () => {
  assert.equal(makeColumn('GID_0', ['A', 'B']).find('\ud800'), -1);
  assert.equal(makeColumn('GID_0', ['A', '\ufffd']).find('\ud800'), 1);
  assert.deepEqual(gidsOf(['\ud800', 'A', '\u{10000}']), ['A', '\ufffd', '\u{10000}']);
});

test('a column without GIDs finds none, and has arrays of one entry where others have one more', () => {
  for (const owners of [[], [null, null]]) {
    const column = makeColumn('', owners);
    assert.deepEqual([column.size, column.find('A'), column.find('')], [0, -1, -1]);
    const { start, text, run, first, rank, count } = column.arrays;
    assert.deepEqual([[...start], [...run]], [[0], [0]]);
    assert.deepEqual([text.length, first.length, rank.length, count.length], [0, 0, 0, 0]);
    assert.throws(() => column.gidAt(0), RangeError);
    assert.throws(() => column.countAt(0), RangeError);
    assert.throws(() => column.positionsAt(0), RangeError);
  }
});

test('the same assignment gives the same arrays in whatever order the GIDs are listed', () => {
  fc.assert(
    fc.property(gids, (owners) => {
      const distinct = [...new Set(owners)].filter((one) => one !== null);
      const made = [distinct, distinct.toReversed()].map((list) => {
        const numbers = owners.map((one) => (one === null ? -1 : list.indexOf(one)));
        return gidColumn('GID_0', list, Int32Array.from(numbers)).arrays;
      });
      assert.deepEqual(made[0], made[1]);
    }),
  );
});
