// Words of names: how names and texts are folded, and what words.bin is refused for.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import naughtyStrings from 'big-list-of-naughty-strings' with { type: 'json' };
import { elementAt } from '../../format/element-at.ts';
import { foldText } from '../../format/fold-text.ts';
import { FORMAT_VERSION } from '../../format/version.ts';
import { foldedNames, WORDS_MAGIC, type Words } from '../../format/words.ts';
import { encodeWords } from '../../generator/names/words.ts';
import { decodeWords } from '../support/decode-words.ts';

const naughty: readonly string[] = naughtyStrings;

/** A place in each of 40 scripts. */
const SCRIPTS: Readonly<Record<string, string>> = {
  Latin: 'São Tomé',
  Greek: 'ΑΘΉΝΑΣ Αθήνας',
  Cyrillic: 'Нижний Новгород',
  Armenian: 'Երևան',
  Hebrew: 'יְרוּשָׁלַיִם',
  Arabic: 'مَكَّة المكرمة',
  Syriac: 'ܐܘܪܗܝ',
  Thaana: 'މާލެ',
  NKo: 'ߓߡߊ߬ߞߐ߫',
  Devanagari: 'नई दिल्ली',
  Bengali: 'ঢাকা',
  Gurmukhi: 'ਅੰਮ੍ਰਿਤਸਰ',
  Gujarati: 'અમદાવાદ',
  Oriya: 'ଭୁବନେଶ୍ୱର',
  Tamil: 'சென்னை',
  Telugu: 'హైదరాబాద్',
  Kannada: 'ಬೆಂಗಳೂರು',
  Malayalam: 'തിരുവനന്തപുരം',
  Sinhala: 'කොළඹ',
  Thai: 'กรุงเทพมหานคร',
  Lao: 'ວຽງຈັນ',
  Tibetan: 'ལྷ་ས་',
  Myanmar: 'ရန်ကုန်မြို့',
  Georgian: 'თბილისი',
  Hangul: '서울특별시',
  Ethiopic: 'አዲስ አበባ',
  Cherokee: 'ᏔᎵᏆ',
  'Canadian syllabics': 'ᐃᖃᓗᐃᑦ',
  Khmer: 'ភ្នំពេញ',
  Mongolian: 'ᠤᠯᠠᠭᠠᠨᠪᠠᠭᠠᠲᠤᠷ',
  Hiragana: 'さいたま',
  Katakana: 'ニセコ',
  Han: '北京市',
  Bopomofo: 'ㄊㄞˊㄅㄟˇ',
  Yi: 'ꆈꌠ',
  Tifinagh: 'ⵜⵉⵣⵉ ⵡⵣⵣⵓ',
  'Ol Chiki': 'ᱨᱟᱺᱪᱤ',
  Javanese: 'ꦪꦺꦴꦒꦾꦏꦂꦠ',
  Balinese: 'ᬤᬾᬦ᭄ᬧᬲᬃ',
  Gothic: '𐌰𐌸𐌴𐌹𐌽𐌰',
};

test('names between slashes, and those with their article at the end, are whole names in each of their forms', () => {
  for (const [name, ...forms] of [
    ['Elx/Elche', 'elx elche', 'elx', 'elche'],
    ['Donostia / San Sebastián', 'donostia san sebastian', 'donostia', 'san sebastian'],
    ['Rozas de Madrid, Las', 'rozas de madrid las', 'las rozas de madrid'],
    ['Coruña (A)', 'coruna a', 'a coruna'],
    [
      "Hospitalet de Llobregat, L'",
      'hospitalet de llobregat l',
      'l hospitalet de llobregat',
      'lhospitalet de llobregat',
    ],
    ['Alqueries, les/Niño Perdido', 'alqueries les nino perdido', 'alqueries les', 'nino perdido', 'les alqueries'],
    // No article, nothing before it, no second name.
    ['Washington, Tyne', 'washington tyne', 'tyne washington'],
    ['Springfield, Illinois', 'springfield illinois'],
    ['Paris 15e (75015)', 'paris 15e 75015'],
    [', La', 'la'],
    ['/Elche/', 'elche'],
    ['(A)', 'a'],
  ] as const)
    assert.deepEqual(foldedNames(name), forms, name);
});

function wordsOf(names: readonly string[]): Words {
  return decodeWords(encodeWords(names.map((name) => [name])), names.length, 'words.bin');
}

/** The units of which a name has a word that begins with a folded text: two binary searches. */
function unitsWith(words: Words, text: string): number[] {
  const { from, to } = words.keysWith(Buffer.from(text));
  const numbers = [...words.arrays.name.subarray(from, to)];
  return [...new Set(numbers.map((name) => words.unitOf(name)))].sort((a, b) => a - b);
}

test('case, marks and punctuation do not matter, nor how a letter is encoded', () => {
  for (const [folded, ...texts] of [
    ['a coruna', 'A Coruña', 'a coruna', ' A--CORUN\u0303A! ', 'Ａ　Ｃｏｒｕñａ', '«a», (coruña).'],
    ['lodz', 'Łódź', 'ŁÓDŹ', 'lodz'],
    ['strasse', 'Straße', 'STRASSE', 'STRAẞE', 'ſtraße'],
    ['izmir', 'İzmir', 'IZMIR', 'ızmır', 'izmir'],
    ['hawai i', "Hawai'i", 'Hawaiʻi', 'HAWAI’I', 'hawai`i'],
    ['oosterwolde n', 'Oosterwolde ŉ'],
    ['αθηνασ', 'Αθήνας', 'ΑΘΉΝΑΣ', 'αθηνασ'],
    ['st john s 2', "St. John's ²", 'ST JOHN\u2019S ②'],
    ['', '', ' ', '?!', '\u0301', '\ud800', '🇪🇸', '\0\n'],
  ] as const)
    for (const text of texts) assert.equal(foldText(text), folded, JSON.stringify(text));
});

test('in each of 40 scripts a place is found by every beginning of its words, with its marks or without', () => {
  const names = Object.values(SCRIPTS);
  assert.equal(names.length, 40);
  const words = wordsOf(names);
  for (const [unit, [script, name]] of Object.entries(SCRIPTS).entries()) {
    const spellings = [name, name.normalize('NFD'), name.normalize('NFKC'), name.toLowerCase(), name.toUpperCase()];
    for (const spelling of [...spellings, name.normalize('NFKD').replaceAll(/\p{M}/gu, '')])
      assert.equal(foldText(spelling), foldText(name), script);
    const letters = Array.from(name.normalize('NFKD'));
    for (const length of letters.keys()) {
      const typed = foldText(letters.slice(0, length + 1).join(''));
      if (typed !== '') assert.ok(unitsWith(words, typed).includes(unit), `${script}: ${typed}`);
    }
    for (const word of foldText(name).split(' ')) assert.deepEqual(unitsWith(words, word).includes(unit), true, script);
  }
  assert.deepEqual(unitsWith(words, foldText('новгород')), [Object.keys(SCRIPTS).indexOf('Cyrillic')]);
});

test('what is folded stays as it is, and the big list of naughty strings is found like other names', () => {
  const names = [
    ...Object.values(SCRIPTS),
    ...naughty,
    'x'.repeat(600),
    'é '.repeat(400),
    '𐌰'.repeat(600),
    'ﷺ'.repeat(99),
  ];
  const words = wordsOf(names);
  for (const [unit, name] of names.entries()) {
    const folded = foldText(name);
    assert.equal(foldText(folded), folded, JSON.stringify(name));
    assert.doesNotMatch(folded, /^ | $| {2}|[^\p{L}\p{N} ]/u);
    const own = foldedNames(name);
    assert.deepEqual(own.length === 0, folded === '', JSON.stringify(name));
    for (const text of own) {
      assert.ok(folded.startsWith(text) || /['`\u02b9-\u02bf\u2018-\u201b/,(]/.test(name), JSON.stringify(name));
      assert.ok(unitsWith(words, text).includes(unit), JSON.stringify(name));
    }
  }
  const all = names.flatMap((name) => foldedNames(name));
  assert.equal(words.arrays.unit.length, all.length);
  assert.ok(all.every((text) => Array.from(text).length <= 500));
});

test('of a name the first 2,000 characters are folded, whatever a character unfolds to', () => {
  // Each of two million unfolds to 18.
  assert.deepEqual(foldedNames('\ufdfa'.repeat(2_000_000)), foldedNames('\ufdfa'.repeat(2_000)));
  assert.deepEqual(foldedNames(`${'.'.repeat(1_999)}ab`), ['a']);
  assert.deepEqual(foldedNames(`${'.'.repeat(1_999)}𐌰`), []);
});

test('names and keys ascend by their bytes, as no comparison of JavaScript texts does', () => {
  // Few letters above the surrogates stay as they are when they are folded.
  const words = wordsOf(['\ufe73', '𐌰', 'a', '\ufb00', 'ꦪ 𐌰', '龜']);
  const lines = Buffer.from(words.arrays.text).toString().trimEnd().split('\n');
  const sorted = lines.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  assert.deepEqual(lines, sorted);
  assert.deepEqual(unitsWith(words, '𐌰'), [1, 4]);
});

test('a file whose keys do not ascend, or that names a unit that is not there, is refused', () => {
  const intact = encodeWords([['Bc a'], ['Ab'], ['Ab c']]);
  const u32 = (at: number): number => intact.readUInt32LE(at);
  const [names, keys] = [u32(16), u32(20)];
  assert.deepEqual([names, keys], [3, 5]);
  const [start, unit, key, name] = [32, 32 + 4 * 4, 32 + 4 * 7, 32 + 4 * 12];
  const set = (at: number, value: number) => (bytes: Buffer) => bytes.writeUInt32LE(value, at);
  const swap = (a: number, b: number) => (bytes: Buffer) => {
    const [one, other] = [bytes.readUInt32LE(a), bytes.readUInt32LE(b)];
    bytes.writeUInt32LE(other, a);
    bytes.writeUInt32LE(one, b);
  };
  for (const [change, problem] of [
    [(bytes: Buffer) => bytes.write('W'), /does not begin like a file of words/],
    [set(8, 3), /format version is 3, expected/],
    [set(12, 4), /the words of 4 units, expected 3/],
    [set(16, 2), /bytes, expected/],
    [set(20, 4), /bytes, expected/],
    [set(24, 3), /bytes, expected/],
    [set(start, 1), /start does not lead from 0/],
    [set(start + 4, 4), /name 0 is not a line/],
    [set(start + 4, 0), /name 0 is not a line/],
    [set(unit, 3), /name 0 is of unit 3, there are 3/],
    [(bytes: Buffer) => bytes.write('x', bytes.length - 13), /name 1 does not ascend/],
    [set(name + 8, 3), /key 2 is of name 3, there are 3/],
    [set(key, u32(key) + 1), /key 0 is no word of its name/],
    [set(key + 4, 0xffffffff), /key 1 is no word of its name/],
    [
      (bytes: Buffer) => [swap(key, key + 4), swap(name, name + 4)].map((change) => change(bytes)),
      /key 1 does not ascend/,
    ],
    [
      (bytes: Buffer) => [set(key, u32(key + 4)), set(name, u32(name + 4))].map((change) => change(bytes)),
      /key 1 does not ascend/,
    ],
  ] as const) {
    const bytes = Buffer.from(intact);
    change(bytes);
    assert.throws(() => decodeWords(bytes, 3, 'lv1/words.bin'), { name: 'FormatError', message: problem });
    assert.throws(() => decodeWords(bytes, 3, 'lv1/words.bin'), /^FormatError: lv1\/words\.bin: /);
  }
  for (const length of [0, 8, 31, intact.length - 1])
    assert.throws(() => decodeWords(intact.subarray(0, length), 3, 'w'), { name: 'FormatError' });
  const odd = Buffer.concat([Buffer.of(0), intact]).subarray(1);
  assert.equal(elementAt(decodeWords(odd, 3, 'w').arrays.unit, 2), 0, 'memory may begin anywhere');
});

test('a name that is longer than any that is written is refused: of its many keys each would be compared with others', () => {
  const name = `${'a '.repeat(1000)}a\n`;
  const head = Buffer.from(new Uint32Array([FORMAT_VERSION, 1, 1, 1, name.length, 0, 0, name.length, 0, 0, 0]).buffer);
  const file = Buffer.concat([WORDS_MAGIC, head, Buffer.from(name)]);
  assert.throws(() => decodeWords(file, 1, 'words.bin'), { name: 'FormatError', message: /name 0 has more than 2000/ });
  const longest = '𐌰'.repeat(500);
  assert.equal(decodeWords(encodeWords([[`${longest}x`]]), 1, 'words.bin').arrays.text.length, 2001);
});
