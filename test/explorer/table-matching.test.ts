// The units that the rows of a table are: which columns have them, what is found, and what is only named.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Level } from '../../format/levels.ts';
import { findColumns, matchTable, NamesDown } from '../../proxy/explorer/table/matching.ts';
import { openTable, TableFault } from '../../proxy/explorer/table/reading.ts';
import { fidsOf } from '../../proxy/explorer/table/unit-fids.ts';

const FIELDS = 'fid gid name type parent children view inside parents area others code:ine'.split(' ');
type Unit = readonly [fid: number, gid: string, name: string, parent: string | null, code?: string];

function textOf(units: readonly Unit[]): Uint8Array {
  const lines = units.map(([fid, gid, name, parent, code = null]) =>
    JSON.stringify([fid, gid, name, null, parent, 0, null, [], null, null, [], code]),
  );
  return new TextEncoder().encode(`${[JSON.stringify(FIELDS), ...lines].join('\n')}\n`);
}

const COUNTRIES = [
  [1, 'AAA', 'Aland', null],
  [2, 'BBB', 'Beland', null],
] as const;
const REGIONS = ['North', 'South', 'East', 'West'].flatMap((name, i): Unit[] => [
  [10 + i, `AAA.${i + 1}`, name, 'AAA', `0${i + 1}`],
  [20 + i, `BBB.${i + 1}`, i === 3 ? 'Far West' : name, 'BBB'],
]);
const TEXTS = [textOf(COUNTRIES), textOf(REGIONS)];

/** What a table is, and which levels were asked for. */
async function matched(text: string) {
  const asked: Level[] = [];
  const names = new NamesDown([0, 1], async (level) => {
    asked.push(level);
    return TEXTS[level] ?? assert.fail(`level ${level}`);
  });
  const table = await openTable(new Blob([text]));
  const choice = await findColumns(table, names);
  const { positions, values, problems, ...others } = await matchTable(table, choice, names);
  const found = Object.fromEntries(positions.map((position, i) => [REGIONS[position]?.[1] ?? '', values[i]]));
  const named = Object.fromEntries(
    Object.entries(problems).map(([kind, { rows }]) => [
      kind,
      rows.map(({ line, text, note }) => `${line}: ${text} ${note}`.trim()),
    ]),
  );
  return { choice, asked, found, named, ...others };
}

test('a column of GIDs, of codes or of names is found by what is in it, whatever its header says', async () => {
  const { choice, found, within, units } = await matched('Beland,x,__proto__\n7,AAA.1,a\n8,aaa.2,b\n9,AAA.3,c\n');
  assert.deepEqual(choice, { units: [{ level: 1, column: 1 }], value: 0 });
  assert.deepEqual(found, { 'AAA.1': '7', 'AAA.2': '8', 'AAA.3': '9' });
  assert.deepEqual([within, units], [{ level: 0, gid: 'AAA', name: 'Aland' }, 4]);
  // As spreadsheets leave them.
  const codes = await matched('ine,v\n1,5.5\n2,6.5\n3,7.5\n04,8.5\n');
  assert.deepEqual(Object.keys(codes.found), ['AAA.1', 'AAA.2', 'AAA.3', 'AAA.4']);
});

test('numbers that would be codes with zeros before them are rather values, and an empty column is none', async () => {
  for (const [text, column] of [
    ['gid,v,\nAAA.1,1,\nAAA.2,2,\nAAA.3,3,\n', 1],
    ['gid,code,v\nAAA.1,1,5.5\nAAA.2,2,6.5\nAAA.3,3,7.5\n', 2],
    ['gid,,kind,v\nAAA.1,,a,1\nAAA.2,,b,2\nAAA.3,,a,3\n', 3],
    ['gid,,\nAAA.1,,\nAAA.2,,\nAAA.3,,\n', 1],
  ] as const)
    assert.deepEqual((await matched(text)).choice, { units: [{ level: 1, column: 0 }], value: column }, text);
});

test('units of a level are enough: lower ones are not asked for', async () => {
  const { asked, level } = await matched('country,v\nALAND,1\nbeland,2\n');
  assert.deepEqual([asked, level], [[0], 0]);
});

test('names are found below the unit of another column, where there is one', async () => {
  const rows = ['Aland,North,1', 'Aland,South,2', 'Beland,NORTH,3', 'Beland,Far-West,4'];
  const { choice, found, within, units } = await matched(`land,region,v\n${rows.join('\n')}\n`);
  assert.deepEqual(choice.units, [
    { level: 0, column: 0 },
    { level: 1, column: 1 },
  ]);
  assert.deepEqual(found, { 'AAA.1': '1', 'AAA.2': '2', 'BBB.1': '3', 'BBB.4': '4' });
  assert.deepEqual([within, units], [undefined, REGIONS.length]);
});

test('rows that are no unit, several, one above or one that was there are named with their lines', async () => {
  const rows = ['AAA.1,1', 'AAA.2,2', 'AAA.3,3', 'BBB.1,4', 'North,5', 'Nowhere,6', 'AAA.1,7', ',8', ',', 'Nort,9'];
  const { found, named } = await matched(`gid,v\n${rows.join('\n')}\n`);
  assert.deepEqual(found, { 'AAA.1': '1', 'AAA.2': '2', 'AAA.3': '3', 'BBB.1': '4' });
  assert.deepEqual(named, {
    several: ['6: North AAA.1, BBB.1'],
    none: ['7: Nowhere', '9:', '11: Nort'],
    twice: ['8: AAA.1 first in line 2'],
  });
  const chained = await matched('a,b,v\nAland,North,1\nAland,South,2\nBeland,,3\nAland,Far West,4\n');
  assert.deepEqual(chained.named, { above: ['4: Beland level 0'], none: ['5: Aland › Far West'] });
});

test('GIDs of two levels are matched with the level that has more of them', async () => {
  const { level, found, named } = await matched('gid,v\nAAA,1\nAAA.1,2\nAAA.2,3\nBBB.1,4\n');
  assert.deepEqual([level, Object.keys(found)], [1, ['AAA.1', 'AAA.2', 'BBB.1']]);
  assert.deepEqual(named, { none: ['2: AAA'] });
});

test('a table without units is refused, with its columns', async () => {
  await assert.rejects(
    matched('year,total\n2024,77777\n2025,88888\n'),
    (error) => error instanceof TableFault && error.message.endsWith('of this release: year, total.'),
  );
});

test('columns behind those that are tried are not said to have no units', async () => {
  const others = Array.from({ length: 30 }, (_, i) => `c${i}`);
  const rows = ['AAA.1', 'AAA.2'].map((gid) => `${others.map(() => 'x')},${gid}`);
  await assert.rejects(matched(`${others},gid\n${rows.join('\n')}\n`), /^Error: None of the first 30 columns has/);
});

test('several units of one GID are one unit that has a row', async () => {
  const pieces = textOf([...REGIONS, [30, 'AAA.1', 'North', 'AAA']]);
  const names = new NamesDown([0, 1], async (level) => (level === 0 ? textOf(COUNTRIES) : pieces));
  const table = await openTable(new Blob(['gid,v\nAAA.1,1\nAAA.2,2\nAAA.3,3\nAAA.4,4\n']));
  const { positions, units } = await matchTable(table, await findColumns(table, names), names);
  assert.deepEqual([positions.length, units], [4, 4]);
});

test('fids come from the names, in the order that is wanted', () => {
  const fids = fidsOf(TEXTS[1] ?? assert.fail('no names'), [3, 0], 'names');
  assert.deepEqual([...fids], [REGIONS[3]?.[0], REGIONS[0]?.[0]]);
});
