// The rules by which a text is a unit, each with its trap. A wrong code is worse than none.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type MadeUnit, matching, namedLevels } from '../../support/named-units.ts';
import { heldBytes } from '../../support/processes/collect-garbage.ts';

function countries(...names: string[]): MadeUnit[] {
  return names.map((name) => ({ gid: name.slice(0, 3).toUpperCase(), name }));
}

function below(parent: string, ...names: (string | Partial<MadeUnit>)[]): MadeUnit[] {
  return names.map((own, i) => {
    const unit = typeof own === 'string' ? { name: own } : own;
    return { gid: `${parent}.${i + 1}`, name: null, parent, ...unit };
  });
}

/** What each text is among regions of one country. */
function inCountry(units: readonly (string | Partial<MadeUnit>)[], edits: 0 | 1 | 2 = 1) {
  const match = matching(namedLevels({ 0: countries('Aland'), 1: below('ALA', ...units) }), [0, 1], { edits });
  return (text: string): [string | null, string] => {
    const { gid, match: how } = match('ALA', text);
    return [gid, how];
  };
}

test('1: a GID or a code decides, also in small letters, and where a spreadsheet has eaten its zeros', () => {
  const code = (ine: string | null) => ({ 'code:ine': ine });
  const find = inCountry([
    { name: 'Uno', further: code('01001') },
    { name: 'Dos', further: code('01002') },
    { name: 'Tres', further: code('28079') },
    // The name of one is the code of another.
    { name: '01001', further: code('30000') },
  ]);
  assert.deepEqual(find('ALA.3'), ['ALA.3', 'code']);
  assert.deepEqual(find('ala.3'), ['ALA.3', 'code']);
  assert.deepEqual(find('01001'), ['ALA.1', 'code']);
  assert.deepEqual(find('1002'), ['ALA.2', 'code']);
  assert.deepEqual(find('2'), ['ALA', 'none']);
  const mixed = inCountry([
    { name: 'Uno', further: code('001') },
    { name: 'Dos', further: code('0002') },
  ]);
  assert.deepEqual(mixed('1'), ['ALA', 'none']);
});

test('2: a name in any language, or another name, is exact, composed or decomposed', () => {
  const find = inCountry([
    { name: 'São Tomé', others: ['St. Thomas'], further: { 'name:fr': 'Saint-Thomas' } },
    { name: 'Sao Tome' },
    { name: '—' },
  ]);
  for (const text of ['São Tomé', 'Sa\u0303o Tome\u0301', ' São Tomé ', 'St. Thomas', 'Saint-Thomas'])
    assert.deepEqual(find(text), ['ALA.1', 'exact'], text);
  assert.deepEqual(find('Sao Tome'), ['ALA.2', 'exact']);
  assert.deepEqual(find('—'), ['ALA.3', 'exact']);
});

test('3: folded forms: without marks, parts between slashes, articles behind, apostrophes, brackets', () => {
  const find = inCountry([
    'Elx/Elche',
    'Rozas de Madrid, Las',
    'Coruña (A)',
    "Hospitalet de Llobregat, L'",
    "Hawai'i",
    'Springfield (Aland)',
    'Coru',
  ]);
  for (const [text, gid] of [
    ['ELCHE', 'ALA.1'],
    ['elx', 'ALA.1'],
    ['Las Rozas de Madrid', 'ALA.2'],
    ['A Coruna', 'ALA.3'],
    ["l'hospitalet de llobregat", 'ALA.4'],
    ['Hawaii', 'ALA.5'],
    ['Hawaiʻi', 'ALA.5'],
    ['SPRINGFIELD', 'ALA.6'],
    ['Elche (ciudad)', 'ALA.1'],
  ] as const)
    assert.deepEqual(find(text), [gid, 'folded'], text);
});

test('4: type words, words written out, in another order, or as one', () => {
  const find = inCountry(['Saint Mary', 'North Kivu', 'South Kivu', 'Sankt Gallen', 'Buenos Aires', 'Oblast']);
  for (const [text, gid] of [
    ['St. Mary', 'ALA.1'],
    ['Parish of St Mary', 'ALA.1'],
    ['N Kivu', 'ALA.2'],
    ['Kivu South', 'ALA.3'],
    ['Buenosaires', 'ALA.5'],
    ['Provincia de Buenos Aires', 'ALA.5'],
  ] as const)
    assert.deepEqual(find(text), [gid, 'type word'], text);
  // St is Saint, and never Sankt; a name that is nothing but a type word stays one.
  assert.deepEqual(find('St Gallen'), ['ALA', 'none']);
  assert.deepEqual(find('oblast'), ['ALA.6', 'folded']);
});

test('4: the words that many names of a level begin or end with are type words, in that country alone', () => {
  const names = ['Ares', 'Boro', 'Cima', 'Dole', 'Enna'];
  const parish = names.map((name) => `Freguesia ${name}`);
  const levels = namedLevels({
    0: countries('Aland', 'Beland'),
    1: [...below('ALA', ...parish), ...below('BEL', ...names)],
  });
  const match = matching(levels, [0, 1]);
  assert.deepEqual(match('Aland', 'Cima'), { gid: 'ALA.3', match: 'type word' });
  assert.equal(match('Beland', 'Freguesia Cima').match, 'none');
});

test('numbers are never joined, exchanged, left out or halved, and 3.0 is not 30', () => {
  const NONE = ['ALA', 'none'];
  const wards = Array.from({ length: 33 }, (_, i) => `Ward ${i + 1}`);
  const find = inCountry([...wards, 'Zone 1 Ward 2', 'Zone4 Ward5', 'Block 1/2']);
  const figures = inCountry(wards.map((_, i) => `${i + 1}`));
  for (const text of [
    '3.0',
    '1.0',
    '1-1',
    '2,5',
    "1'1",
    '1’1',
    '-3',
    '−3',
    '-3.0',
    'Ward 3.0',
    'Ward 1 and 2',
    '1/2',
    '1²',
    'Ward 1²',
  ])
    assert.deepEqual([find(text), figures(text)], [NONE, NONE], text);
  assert.deepEqual(figures('3.'), ['ALA.3', 'folded']);
  for (const text of ['Ward 1/2', 'Ward 12/A', 'Zone 2 Ward 1', 'Ward 1 Zone 2', 'Ward 2 Zone 1', 'Block 1'])
    assert.deepEqual(find(text), NONE, text);
  for (const [text, name, rule] of [
    ['WARD-3', 'Ward 3', 'folded'],
    ['Ward 3/Wada 3', 'Ward 3', 'folded'],
    ['Block 1-2', 'Block 1/2', 'folded'],
    ['Ward12', 'Ward 12', 'type word'],
    ['12 Ward', 'Ward 12', 'type word'],
    ['Zone1 Ward2', 'Zone 1 Ward 2', 'type word'],
    ['Zone 4 Ward 5', 'Zone4 Ward5', 'type word'],
  ] as const)
    assert.deepEqual(find(text), [find(name)[0], rule], text);
  // A number that many names begin with is no type word.
  const sides = ['East', 'West', 'South', 'Old Town', 'New Town'];
  const numbered = inCountry([
    ...sides.map((side) => `101 ${side}`),
    ...sides.map((side) => `102 ${side} Side`),
    '101 North',
  ]);
  assert.deepEqual(numbered('102 North'), NONE);
});

test('5: one edit, or two if they are asked for; never between names with numbers, short ones, or without a parent', () => {
  const units = ['Niger State', 'São Tomé', 'Ward 1', 'Ward 11', 'Wexford', 'Longford', 'Carlow'];
  const [one, two, none] = [inCountry(units), inCountry([...units, 'Castlebar Hills'], 2), inCountry(units, 0)];
  assert.deepEqual(one('Sao Tomee'), ['ALA.2', 'one edit']);
  assert.deepEqual(one('Carlwo'), ['ALA.7', 'one edit']);
  assert.deepEqual(none('Carlwo'), ['ALA', 'none']);
  assert.deepEqual(one('Ward 2'), ['ALA', 'none']);
  assert.deepEqual(one('Ward 111'), ['ALA', 'none']);
  assert.deepEqual(two('Castelbar Hlls'), ['ALA.8', 'two edits']);
  assert.deepEqual(one('Castelbar Hlls'), ['ALA', 'none']);
  // Two edits need nine letters.
  assert.deepEqual(two('Carolw x'), ['ALA', 'none']);
  const global = matching(namedLevels({ 0: countries('Aland'), 1: below('ALA', ...units) }), [1]);
  assert.deepEqual(global('Carlwo'), { gid: null, match: 'none', at: 0 });
  const world = matching(namedLevels({ 0: countries('Niger', 'Nigeria', 'Mali') }), [0]);
  assert.deepEqual(world('Nigeria'), { gid: 'NIG', match: 'exact' });
  assert.equal(world('Nigr').match, 'none');
});

test('5: the least distance decides, and several that are as near are ambiguous', () => {
  const find = inCountry(['Marina', 'Marine', 'Karina Bay']);
  assert.deepEqual(find('Marinx'), ['ALA', 'ambiguous']);
  assert.deepEqual(find('Marinaa'), ['ALA.1', 'one edit']);
});

test('6: a former name, and a GID that is gone, are what has taken their place', () => {
  const names = namedLevels({ 0: countries('Aland'), 1: below('ALA', 'New', 'East Part', 'West Part') });
  const change = (fromGid: string, fromName: string, toGid: string) =>
    ({ level: 1, fromGid, fromName, toGid }) as const;
  const changes = [
    change('X.1', 'Old', 'X.2'),
    change('X.2', 'Younger', 'ALA.1'),
    change('X.3', 'Whole', 'ALA.2'),
    change('X.3', 'Whole', 'ALA.3'),
    change('X.4', 'Gone', ''),
  ];
  const match = matching(names, [0, 1], { changes });
  assert.deepEqual(match('ALA', 'Old'), { gid: 'ALA.1', match: 'former' });
  assert.deepEqual(match('ALA', 'younger'), { gid: 'ALA.1', match: 'former' });
  assert.deepEqual(match('ALA', 'X.1'), { gid: 'ALA.1', match: 'successor' });
  assert.deepEqual(match('ALA', 'X.3'), { gid: 'ALA', match: 'ambiguous', at: 1, candidates: ['ALA.2', 'ALA.3'] });
  assert.deepEqual(match('ALA', 'X.4'), { gid: 'ALA', match: 'none', at: 1 });
});

test('a name that two parishes have is ambiguous, unless the next column is below one of them', () => {
  const names = namedLevels({
    0: countries('Aland'),
    1: below('ALA', 'Saint Ann', 'Saint Mary'),
    2: [...below('ALA.1', 'Port', 'Hill'), ...below('ALA.2', 'Port', 'Lake')],
    3: [...below('ALA.1.1', 'Abbey'), ...below('ALA.2.1', 'Bridge')],
  });
  const match = matching(names, [0, 2, 3]);
  assert.deepEqual(match('Aland', 'Port', ''), {
    gid: 'ALA',
    match: 'ambiguous',
    at: 1,
    candidates: ['ALA.1.1', 'ALA.2.1'],
  });
  assert.deepEqual(match('Aland', 'Port', 'Bridge'), { gid: 'ALA.2.1.1', match: 'exact' });
  assert.equal(match('Aland', 'Port', 'Castle').match, 'ambiguous');
});

test('a name that thousands of units have is ambiguous, and is kept without all of them', () => {
  const find = inCountry(Array.from({ length: 20_000 }, () => 'Alike'));
  assert.deepEqual(find('Alike'), ['ALA', 'ambiguous']);
  const before = heldBytes();
  for (let i = 1; i <= 40; i++) assert.deepEqual(find(`${' '.repeat(i)}Alike`), ['ALA', 'ambiguous']);
  const held = heldBytes() - before;
  assert.ok(held < 1_000_000, `${held} bytes`);
});

test('a wrong parent is shown, never corrected, and nothing is found from there on', () => {
  const names = namedLevels({
    0: countries('Aland', 'Beland'),
    1: [...below('ALA', 'Saint Ann', 'Saint Mary'), ...below('BEL', 'North')],
    2: [...below('ALA.1', 'Port'), ...below('ALA.2', 'Lake'), ...below('BEL.1', 'Lake')],
  });
  const match = matching(names, [0, 1, 2]);
  assert.deepEqual(match('Aland', 'Saint Ann', 'Lake'), {
    gid: 'ALA.1',
    match: 'none',
    at: 2,
    candidates: ['ALA.2.1'],
  });
  assert.deepEqual(match('Beland', 'Saint Ann', 'Port'), { gid: 'BEL', match: 'none', at: 1 });
});

test('of a row the least sure rule is said; an empty cell is skipped; a row without texts is empty', () => {
  const names = namedLevels({ 0: countries('Aland'), 1: below('ALA', 'Saint Ann'), 2: below('ALA.1', 'Port') });
  const match = matching(names, [0, 1, 2]);
  assert.deepEqual(match('Aland', 'St Ann', 'Port'), { gid: 'ALA.1.1', match: 'type word' });
  assert.deepEqual(match('Aland', '', 'Port'), { gid: 'ALA.1.1', match: 'exact' });
  assert.deepEqual(match('Aland', ' ', ''), { gid: 'ALA', match: 'exact' });
  assert.deepEqual(match('', '', ''), { gid: null, match: 'empty' });
});

test('units with one GID are one, and what is below them is below all of them', () => {
  const names = namedLevels({
    0: [
      { gid: 'AAA', name: 'Mainland' },
      { gid: 'AAA', name: 'Islands' },
    ],
    1: below('AAA', 'North'),
    2: [{ gid: 'N.1', name: 'Own', parent: 'AAA.1', parents: [null, 'AAA.1'] }, ...below('AAA.1', 'Port')],
  });
  const match = matching(names, [0, 1, 2]);
  assert.deepEqual(match('Islands', 'North', 'Port'), { gid: 'AAA.1.1', match: 'exact' });
  // Its own country is another than that of its parent.
  assert.equal(matching(names, [0, 2])('AAA', 'Own').match, 'none');
  assert.equal(match('AAA', 'North', 'Own').gid, 'N.1');
});

test('each of thousands of units has its own GID, name and codes, also next to units that lack one', () => {
  const units = Array.from({ length: 2050 }, (_, i): MadeUnit => {
    const names = i % 5 === 1 ? { others: [`Other "${i}"`, `東 ${i}`] } : {};
    const further = { 'code:ine': i % 3 === 1 ? `0${i}` : null, 'code:iso': i % 4 === 1 ? `I${i}` : null };
    return { gid: i % 7 === 3 ? null : `G.${i}`, name: i % 11 === 5 ? null : `Ünit ${i}`, ...names, further };
  });
  const [level] = namedLevels({ 0: units });
  assert.ok(level);
  for (const [i, { gid, name, others = [], further = {} }] of units.entries()) {
    const names = name === null ? others : [name, ...others];
    const unit = level.unitAt(i);
    const codes = Object.values(further).map((_, column) => unit.codes[column] ?? null);
    assert.deepEqual([unit.gid, unit.name, unit.names, codes], [gid, name, names, Object.values(further)]);
  }
});

test('texts as long as a cell may be cost no time, and are compared by the first rules alone', () => {
  const long = 'Long name '.repeat(60).trim();
  const find = inCountry([long, 'Port']);
  assert.deepEqual(find(long.toUpperCase()), ['ALA.1', 'folded']);
  assert.deepEqual(find(`${long}s`), ['ALA', 'none']);
  assert.deepEqual(find('/'.repeat(10_000_000)), ['ALA', 'none']);
});
