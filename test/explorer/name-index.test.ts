// The explorer's names of one level: parents and children, whatever is in the names and however the bytes of the file
// arrive.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NameIndexBuilder } from '../../proxy/explorer/names/name-index.js';
import { dice } from '../support/dice.ts';

const HEADER = '["fid","gid","name","type","parent","children"]';

type Row = [
  fid: number,
  gid: string | null,
  name: string | null,
  type: string | null,
  parent: string | null,
  n: number,
];

function namesFile(rows: readonly Row[]): Buffer {
  return Buffer.from([HEADER, ...rows.map((row) => JSON.stringify(row)), ''].join('\n'));
}

/** The index of a file that arrives in pieces of this many bytes. */
function indexOf(bytes: Buffer, pieceBytes = 65_536): ReturnType<NameIndexBuilder['finish']> {
  const builder = new NameIndexBuilder(2);
  for (let at = 0; at < bytes.length; at += pieceBytes) builder.add(bytes.subarray(at, at + pieceBytes));
  return builder.finish();
}

/** Names as they are in real data, and in no data. */
const NAMES = [
  "Madrid|Las Madrigueras|Amadora|mad|Nomad Madeira|Łódź|İstanbul|Đà Nẵng|Ørsta|Straße|N'Djaména|Hawaiʻi|Москва".split(
    '|',
  ),
  'Йошкар-Ола|Αθήνας|東京都|서울|القاهرة|दिल्ली|Saint-Denis (La Réunion)|line\nfeed|"quoted" \\ || |\u{1f3f4}'.split(
    '|',
  ),
  'Æsir Œuvre|ﬁne|ＴＯＫＹＯ|St. John’s|San San San'.split('|'),
].flat();

/** Units with every name many times, some without name or GID, in more bytes than are indexed at a time. */
function manyRows(): Row[] {
  const die = dice(7);
  return Array.from({ length: 9_000 }, (_, i) => {
    const parent = die(40) === 0 ? null : `ESP.${1 + Math.floor(i / 300)}_1`;
    const gid = die(50) === 0 ? null : `${parent}.${i}_x'\n${die(2) === 0 ? 'MAD' : 'mad'}`;
    const name =
      die(30) === 0 ? null : `${NAMES[die(NAMES.length)]}${die(3) === 0 ? ` ${NAMES[die(NAMES.length)]}` : ''}`;
    return [3 * i - 5, gid, name, die(2) === 0 ? 'Município' : null, parent, die(4)];
  });
}

const rows = manyRows();
const file = namesFile(rows);
const many = indexOf(file);

test('every unit is found by its GID and by its parent, as the file has it', () => {
  assert.ok(many.segments.length > 2);
  const byGid = new Map(rows.toReversed().map((row) => [row[1], row]));
  for (const [gid, [fid, , name, type, parent, children]] of byGid) {
    if (gid === null) continue;
    assert.deepEqual(many.find(gid), { level: 2, fid, gid, name, type, parent, children });
  }
  for (const gid of ['ESP', '', 'null', `${rows[0]?.[1]} `]) assert.equal(many.find(gid), undefined);
  const parents = new Set(['ESP.2_1', 'ESP.30_1', 'none']);
  assert.deepEqual(
    many.rowsIn(parents),
    rows.flatMap(([, , , , parent], row) => (parent !== null && parents.has(parent) ? [row] : [])),
  );
  assert.deepEqual(many.rowsIn(new Set(['none'])), []);
});

test('bytes may arrive in pieces of any size', () => {
  const few = namesFile(rows.slice(0, 40));
  for (const pieceBytes of [1, 2, 3, 7, 64, few.length]) {
    const index = indexOf(few, pieceBytes);
    assert.deepEqual(
      Array.from({ length: index.length }, (_, row) => index.unitAt(row).name),
      rows.slice(0, 40).map(([, , name]) => name),
    );
  }
  assert.equal(indexOf(file, 1_000_000).length, rows.length);
});

test('a file that is cut, or is not one of names, is refused', () => {
  const fails = (text: string, message: RegExp): void =>
    assert.throws(() => indexOf(Buffer.from(text)), { name: 'SyntaxError', message });
  fails('', /end within a line/);
  fails(HEADER, /end within a line/);
  fails(`${HEADER}\n[1,"A","a",null,null,0]\n[2,"B"`, /end within a line/);
  fails('<!doctype html>\n', /begin with <!doctype html>, expected/);
  fails(`${HEADER}\n[1,"A","a",null,null,0]\n[2,"B","b",null,null]\n`, /line 3 .* not a row of six values/);
  for (const row of ['[1,2,"b",null,null,0]', '["1","B","b",null,null,0]', '{}', 'null', '[1,"B","b",null,null,"0"]'])
    fails(`${HEADER}\n${row}\n`, /line 2 .* not a row/);
  fails(`${HEADER}\n[1,"A"\n`, /JSON/);
});
