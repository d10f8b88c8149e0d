// The explorer's search over one level: what is found and in which order, whatever is in the names and however the bytes
// of the file arrive.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { foldName, foldNames } from '../../proxy/explorer/search/fold.js';
import { readNeedle } from '../../proxy/explorer/search/match.js';
import { NameIndexBuilder } from '../../proxy/explorer/search/name-index.js';
import { bestRows } from '../../proxy/explorer/search/rank.js';
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
function indexOf(bytes: Buffer, pieceBytes = 65_536, level = 2): ReturnType<NameIndexBuilder['finish']> {
  const builder = new NameIndexBuilder(level);
  for (let at = 0; at < bytes.length; at += pieceBytes) builder.add(bytes.subarray(at, at + pieceBytes));
  return builder.finish();
}

function search(index: ReturnType<typeof indexOf>, text: string, limit = 50): { found: number; fids: number[] } {
  const needle = readNeedle(text);
  if (needle === undefined) return { found: 0, fids: [] };
  const { found, best } = bestRows([index], needle, limit);
  return { found, fids: best.map(({ row }) => index.unitAt(row).fid) };
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

const folded = rows.map(([, gid, name]) => ({
  name: foldName(name ?? ''),
  gid: (gid ?? '').toLowerCase().replaceAll('\n', ' '),
}));

/** How a unit matches, best first; undefined if it does not. */
function matchOf(unit: { name: string; gid: string }, name: string, gid: string): number | undefined {
  if (unit.gid === gid) return 0;
  if (name !== '') {
    if (unit.name === name) return 0;
    if (unit.name.startsWith(name)) return 1;
    if (unit.name.includes(` ${name}`)) return 2;
    if (unit.name.includes(name)) return 3;
  }
  return unit.gid.startsWith(gid) ? 4 : undefined;
}

test('accents, case, apostrophes and punctuation do not count', () => {
  const pairs = [
    ['Łódź', 'lodz'],
    ['İSTANBUL', 'istanbul'],
    ['Iğdır', 'igdir'],
    ['Đà Nẵng', 'da nang'],
    ['Straße', 'strasse'],
    ['Ærø', 'aero'],
    ['Ёлкино', 'елкино'],
    ['ΑΘΗΝΑΣ', 'αθηνασ'],
    ['Hawaiʻi', 'hawaii'],
    ["N'Djaména", 'ndjamena'],
    ['St. John’s', 'st johns'],
    ['Castilla-La Mancha', 'castilla la mancha'],
    ['  (Saint--Denis)  ', 'saint denis'],
    ['القاهِرة', 'القاهرة'],
    ['ＴＯＫＹＯ', 'tokyo'],
    ['ﬁ', 'fi'],
    ['दिल्ली', 'दिल्ली'],
    ['a\nb', 'a b'],
    ['-', ''],
  ] as const;
  for (const [name, folded] of pairs) assert.equal(foldName(name), folded.normalize('NFKD'), name);
});

test('names that are folded together are those that are folded one by one, whatever is in them', () => {
  const name = fc.string({ unit: 'binary', maxLength: 12 });
  const odd = fc.constantFrom(...NAMES, '\n', ' \n ', '-', "'");
  fc.assert(
    fc.property(fc.array(fc.oneof(name, odd), { minLength: 1, maxLength: 8 }), (names) => {
      assert.deepEqual(foldNames(names).split('\n'), names.map(foldName));
    }),
    { numRuns: 500, seed: 1 },
  );
});

test('finds the rows that the rule names and no others, in its order, in any part of the file', () => {
  assert.ok(many.segments.length > 2);
  const texts = [
    ...[
      'm',
      'a',
      'mad',
      'MAD',
      'madr',
      'san',
      'san san',
      'lodz',
      'Łódź',
      'strasse',
      'моск',
      '京',
      '서',
      'saint denis',
      'ola',
    ],
    ...[
      'esp',
      'esp.1_',
      'ESP.3_1.7',
      'line feed',
      "x'",
      'qqq',
      '.',
      '  mad ',
      'e',
      '1',
      '🏴',
      'hawaii',
      'la reunion',
      'null.',
    ],
    ...rows.slice(200, 203).flatMap(([, gid]) => gid ?? []),
  ];
  for (const text of texts) {
    const name = foldName(text);
    const gid = text.trim().toLowerCase().replaceAll('\n', ' ');
    const expected = rows
      .map((row, order) => ({ row, order, match: matchOf(folded[order] ?? assert.fail(), name, gid) }))
      .filter(({ match }) => match !== undefined)
      .sort((a, b) => Number(a.match) - Number(b.match) || b.row[5] - a.row[5] || a.order - b.order)
      .map(({ row: [fid] }) => fid);
    for (const limit of [1, 50, rows.length])
      assert.deepEqual(search(many, text, limit), { found: expected.length, fids: expected.slice(0, limit) }, text);
  }
});

test('units of higher levels come first among those that match equally well', () => {
  const country = indexOf(namesFile([[9, 'A', 'Mexico', null, null, 1]]), 10, 0);
  const state = indexOf(namesFile([[1, 'A.1', 'Mexico', null, 'A', 99]]), 10, 1);
  const needle = readNeedle('mexico') ?? assert.fail();
  const { best } = bestRows([country, state], needle, 5);
  assert.deepEqual(
    best.map(({ index }) => index.level),
    [0, 1],
  );
});

test('nothing to search for finds nothing', () => {
  for (const text of ['', '  ', '\n']) assert.equal(readNeedle(text), undefined);
  assert.deepEqual(search(many, '-'), { found: 0, fids: [] });
  assert.deepEqual(search(indexOf(namesFile([])), 'a'), { found: 0, fids: [] });
});

test('every unit is found by its GID and by its parent, as the file has it', () => {
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
