// The specification, format/README.md with format/EXAMPLES.md, held against the code: examples byte by byte,
// arithmetic, recipes.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { crc32, gunzipSync } from 'node:zlib';
import { swapSeparator } from '../../format/crc32.ts';
import { decodeCursor, encodeCursor } from '../../format/cursor.ts';
import { elementAt } from '../../format/element-at.ts';
import { FRAME_DATA, SEPARATORS } from '../../format/gzip.ts';
import {
  alonePath,
  featureFilePath,
  gidToSegment,
  indexPath,
  type ListingKey,
  manifestPath,
  namesPath,
  pagePath,
  releasePath,
} from '../../format/layout.ts';
import { FEATURES_PER_FILE, FORMATS, type Format, FRAMES, GEOMETRIES, LEVELS } from '../../format/levels.ts';
import { PAGE_CAPS, pageCap } from '../../format/page-caps.ts';
import { FORMAT_VERSION, versionProblem } from '../../format/version.ts';
import { foldedNames } from '../../format/words.ts';
import { SEAM } from '../../format/write/gzip.ts';
import { encodeLevel, namedArrays, namedFeatureArrays } from '../../format/write/level.ts';
import { encodeWords } from '../../generator/names/words.ts';
import { indexBox } from '../../generator/rings/bbox.ts';
import { Coordinates } from '../../generator/rings/coordinates.ts';
import { RingParts } from '../../generator/rings/ring-parts.ts';
import { decodeWords } from '../support/decode-words.ts';
import { sha256 } from '../support/files.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { makeColumn, makeFeatures, makeLevel, memberOf, type Unit } from './make-level.ts';
import {
  alone,
  aloneWithout,
  block,
  body,
  boxOf,
  buildExample,
  bytesIn,
  dataAt,
  example,
  featureFile,
  fileWithout,
  rowsOf,
  SPECIFICATION,
  tableWithout,
  texts,
} from './worked-example.ts';

test('the index of the worked example is what the code writes', () => {
  const pages: Readonly<Record<Format, Buffer>> = { geojsonl: featureFile, fc: body };
  const units = texts.map((text, i): Unit => {
    const { id, bbox, properties } = JSON.parse(text);
    // The first is alone in its file.
    const data = i === 0 ? { data: dataAt(0) } : { data: alone, chained: dataAt(1) };
    return { fid: id, text, gids: [properties.GID_0], ...data, box: boxOf(bbox, 7) };
  });
  const { index, files, alone: besides } = makeLevel(0, units, 'unfiltered', ['none'], (format) => pages[format]);
  const written = encodeLevel('demo', index, new Map([['none', tableWithout]]));
  assert.equal(written.manifest, block('json manifest'));
  assert.equal(written.index.toString('hex'), bytesIn('text index').toString('hex'));
  assert.deepEqual([...files, ...besides], [featureFile, alone]);
});

test('the comments of the worked example say what its bytes are', () => {
  const { arrays, geometries } = JSON.parse(block('json manifest'));
  for (const [info, entries, named] of [
    ['text index', arrays, namedArrays(example.arrays)],
    ['text none-index', geometries.none.arrays, namedFeatureArrays(tableWithout.arrays)],
  ] as const) {
    const comments = [...block(info).matchAll(/# +(\d+) (\S+?)(?:: (.*))?$/gm)];
    assert.equal(comments.length, Object.keys(entries).length);
    for (const [i, [name, array]] of named.entries()) {
      const [, offset, written, values] = elementAt(comments, i);
      assert.deepEqual([written, Number(offset)], [name, entries[name].offset]);
      if (name.endsWith('.text')) assert.equal(values, Buffer.from(array).toString());
      else if (!name.endsWith('digest')) assert.deepEqual(values?.split(' ').map(Number) ?? [], [...array], name);
    }
  }
  const [first, last] = [example.chained.offsetAt(1), example.chained.offsetAt(1) + example.chained.bytes(1, 2) - 1];
  const hex = (crc: number): string => `0x${crc.toString(16).padStart(8, '0')}`;
  const [one, two] = [crc32(elementAt(texts, 0)), crc32(elementAt(texts, 1))];
  const cut = `shift(${hex(one)}, ${elementAt(texts, 1).length}) xor ${hex(crc32(texts.join('')))} = ${hex(two)}`;
  assert.ok(SPECIFICATION.includes(`is bytes ${first} to ${last} of file 1, and the CRC-32 of its text is ${cut}.`));
  assert.equal(example.textCrc(1, 2), two);
  for (const [what, bytes] of [
    ['lv0/features/000001.geojsonl.gz`, ', featureFile.length],
    ['lv0/index.bin`, ', bytesIn('text index').length],
    ['lv0/none/features/000001.geojsonl.gz`, ', fileWithout.length],
    ['lv0/alone/000001.bin`, ', alone.length],
    ['lv0/none/alone/000001.bin`, ', aloneWithout.length],
    ['lv0/none/index.bin`, ', bytesIn('text none-index').length],
    ['lv0/manifest.json`, ', Buffer.byteLength(block('json manifest')).toLocaleString('en')],
    ['body of both features, ', body.length],
  ] as const)
    assert.ok(SPECIFICATION.includes(`${what}${bytes} bytes`), `${what}${bytes}`);
});

test('the fc body of the worked example is the one that the specification describes, and gunzip reads', () => {
  const { before, separator, after } = FRAMES.fc;
  const text = `${before}${texts.map((line) => line.trimEnd()).join(separator)}\n${after}`;
  const frame = FRAME_DATA.fc;
  const first = Buffer.from(dataAt(0));
  first[first.length - 1] = SEPARATORS.fc;
  const data = [frame.before.data, first, dataAt(1), frame.after.data];
  assert.ok(memberOf(data, Buffer.from(text)).equals(body));
  assert.equal(gunzipSync(body).toString(), text);
  // The lengths that section 8 computes from the index, of two features and of none.
  assert.equal(body.length, 20 + example.runBytes(0, 2) + 46 + 8);
  assert.equal(text.length, example.textBytes(0, 2) + 44);
  const empty = memberOf([frame.before.data, frame.after.data], Buffer.from(before + after));
  assert.deepEqual([empty.length, gunzipSync(empty).length], [20 + 46 + 8, 44]);
});

test('the generator writes the files of the worked example, and the text of its pages', async () => {
  const out = join(temporaryFolder(), 'out');
  const release = await buildExample(out);
  const written = (path: string): Buffer => readFileSync(join(out, releasePath('demo'), path));
  for (const [path, expected] of [
    [manifestPath(0), Buffer.from(block('json manifest'))],
    [indexPath(0, 'none'), bytesIn('text none-index')],
    [featureFilePath(0, 0), featureFile],
    [featureFilePath(0, 0, 'none'), fileWithout],
    [alonePath(0, 0), alone],
    [alonePath(0, 0, 'none'), aloneWithout],
  ] as const)
    assert.equal(written(path).toString('hex'), expected.toString('hex'), path);
  for (const [format, page] of [
    ['geojsonl', featureFile],
    ['fc', body],
  ] as const)
    assert.ok(gunzipSync(written(pagePath(0, format, 'all', 0))).equals(gunzipSync(page)), format);
  assert.equal(gunzipSync(written(namesPath(0))).toString(), block('json names'));
  // Bytes of pages depend on the compressor, and the index has their digests.
  const { bytes, index, ...level } = JSON.parse(block('json level'));
  const { names: _, bytes: __, index: ___, ...others } = elementAt(release.levels, 0);
  assert.deepEqual(others, level);
  const ofIndex = bytesIn('text index');
  const expected = [featureFile.length + body.length, { bytes: ofIndex.length, sha256: sha256(ofIndex) }];
  assert.deepEqual([bytes, index], expected);
});

test('the cursor of the worked example is the one that the code writes', () => {
  const content = { release: 'demo', content: '9f86d081', level: 0, position: 1 } as const;
  const cursor = encodeCursor(content);
  assert.ok(SPECIFICATION.includes(`\`${cursor}\``));
  assert.equal(cursor, `c_${bytesIn('text cursor').toString('base64url')}`);
  assert.deepEqual(decodeCursor(cursor), content);
});

test('the words of the worked example are those that the code writes and reads', () => {
  const bytes = bytesIn('text words');
  assert.deepEqual(encodeWords([['Mérida', 'Emerita', 'Mérida'], ["L'Emerí"]]), bytes);
  const words = decodeWords(bytes, 2, 'words.bin');
  assert.deepEqual(words.keysWith(Buffer.from('emeri')), { from: 0, to: 2 });
  const apostrophes = [...Array(0x10000).keys()].map((code) => String.fromCharCode(code));
  const found = apostrophes.filter((letter) => foldedNames(`a${letter}b`).join() === 'a b,ab');
  const listed = /Apostrophes are (.*)\./.exec(SPECIFICATION)?.[1]?.split(/, | and /) ?? assert.fail();
  const codes = listed.map((range) => range.match(/[0-9A-F]{4}/g)?.map((code) => Number.parseInt(code, 16)) ?? []);
  const expected = codes.flatMap(([from = 0, to = from]) => Array.from({ length: to - from + 1 }, (_, i) => from + i));
  const letters = found.map((letter) => letter.charCodeAt(0));
  assert.deepEqual(letters, expected);
});

test('the tables of GID columns, of encoded GIDs and of page numbers are what the code makes', () => {
  for (const [positions, text, ...written] of ['A A B', 'B A B B', '(none) é'].flatMap(rowsOf)) {
    const gids = (positions ?? '').split(' ').map((gid) => (gid === '(none)' ? null : gid));
    const { start, text: bytes, run, first, rank, count } = makeColumn('GID_0', gids).arrays;
    assert.equal(text, `\`${Buffer.from(bytes).toString()}\``);
    assert.deepEqual(
      written,
      [start, run, first, rank, count].map((array) => array.join(' ')),
      positions,
    );
  }
  for (const gid of ['ITA.4_1', 'esp 1', '?', '..'])
    assert.ok(SPECIFICATION.includes(`| \`${gid}\` | \`${gidToSegment(gid)}\` |`), gid);
  const units = Array.from({ length: 25 }, (_, i) => ({
    fid: i,
    text: '\n',
    gids: [i % 9 === 8 || i === 24 ? 'B' : 'A', `U${i}`],
  }));
  const { index } = makeLevel(1, units, 'all');
  const { geojsonl, fc } = index.arrays.pages ?? assert.fail();
  const sentence = `So \`geojsonl.listing\` is ${geojsonl.listing.join(', ')} and \`fc.listing\` is ${fc.listing.join(', ')}.`;
  assert.ok(SPECIFICATION.includes(sentence), sentence);
  const keys: ListingKey[] = [0, 1, 2].map((listing) => index.listingKey(listing));
  for (const format of FORMATS)
    for (const [listing, key] of keys.entries()) {
      const [row] = SPECIFICATION.split('\n').filter((line) => line.includes(`\`${pagePath(1, format, key, 0)}\``));
      const first = elementAt(index.arrays.pages?.[format].listing ?? [], listing);
      const last = elementAt(index.arrays.pages?.[format].listing ?? [], listing + 1) - 1;
      assert.match(
        row ?? '',
        new RegExp(`\\| ${listing}, .*\\| ${first}(?:${first === last ? '' : `(?:,| to) ${last}`}) \\|$`),
      );
    }
});

test('the table of boxes is what the code makes of each bbox, at the precision that it has', () => {
  for (const [bbox, ...written] of ['`[1.5', '`[177', '`[-0.1'].flatMap(rowsOf)) {
    const degrees: number[] = JSON.parse(bbox?.replaceAll('`', '') ?? '');
    const precision = Math.max(...degrees.map((number) => String(number).split('.')[1]?.length ?? 0));
    assert.deepEqual(written, [boxOf(degrees, Math.max(precision, 7)).join(' ')], bbox);
    assert.deepEqual(written, [boxOf(degrees, 12).join(' ')], bbox);
  }
  assert.deepEqual(rowsOf('none | 0 '), [['none', indexBox(undefined, 1e7).join(' ')]]);
  const most = 2 ** 31 - 1;
  assert.deepEqual(indexBox([-215e7, -300e7, 215e7, 2 ** 31], 1e7), [-most, -most, most, most]);
  assert.ok(SPECIFICATION.includes('the nearest of -(2^31 - 1) and 2^31 - 1'));
});

test('the table of parts is what the code makes of the rings of each unit', () => {
  const rows = rowsOf('1,1 to 2,2');
  assert.equal(rows.length, 4);
  for (const [polygons = '', written = ''] of rows) {
    const parts = new RingParts(7);
    for (const polygon of polygons.split('; '))
      for (const [i, corners] of polygon.split(' with a hole ').entries()) {
        const [x1 = 0, y1 = 0, x2 = 0, y2 = 0] = corners.split(/,| to /).map((degrees) => Number(degrees) * 1e7);
        const positions = new Coordinates();
        positions.resize(4);
        for (const [at, [x, y]] of [
          [x1, y1] as const,
          [x2, y1] as const,
          [x2, y2] as const,
          [x1, y2] as const,
        ].entries())
          positions.set(at, x, y);
        positions.close();
        parts.add(positions, i > 0);
      }
    const numbers = parts.finish().flatMap((box) => [4, ...box]);
    assert.equal(written.startsWith('none: ') ? '' : written, numbers.join(' '), polygons);
  }
});

test('the table of geometries has each of them in their order, with its cap in both formats and at all levels', () => {
  const names = GEOMETRIES.map((geometry) => `\`${geometry}\``);
  const rows = SPECIFICATION.slice(SPECIFICATION.indexOf('| geometry | what a feature has |')).split('\n').slice(2);
  const caps: Readonly<Record<string, (format: Format, level: (typeof LEVELS)[number]) => number>> = {
    '[section 9](#9-pages)': (format, level) => PAGE_CAPS[format][level],
    'as `full`': (format, level) => PAGE_CAPS[format][level],
  };
  for (const [i, geometry] of GEOMETRIES.entries()) {
    const [name, , , cap = ''] = elementAt(rows, i).slice(2, -2).split(' | ');
    assert.equal(name, names[i]);
    for (const format of FORMATS)
      for (const level of LEVELS)
        assert.equal(pageCap(format, level, geometry), caps[cap]?.(format, level) ?? Number(cap), `${name} ${format}`);
  }
  assert.equal(rows[names.length], '', 'no geometry more');
  const [full, ...others] = names;
  assert.ok(SPECIFICATION.includes(`${full}, then those of ${others.join(', ')} that the release has, in this order`));
  const folders = `${others.slice(0, -1).join(', ')} or ${others.at(-1)}`;
  assert.ok(SPECIFICATION.includes(`- \`<geometry>\`: ${folders}: those that`));
  for (const path of [indexPath(0, 'low'), featureFilePath(0, 0, 'low'), alonePath(0, 0, 'low')]) {
    const template = path.replace('lv0', 'lv<L>').replace('low', '<geometry>').replace('000001', '<number>');
    assert.ok(SPECIFICATION.includes(`\n  ${template}\n`), template);
  }
});

test('the numbers of the specification are those of the code', () => {
  assert.match(SPECIFICATION, new RegExp(`^# .*: format version ${FORMAT_VERSION}$`, 'm'));
  assert.equal(SPECIFICATION.match(new RegExp(`^- \`version\` integer: ${FORMAT_VERSION}$`, 'gm'))?.length, 3);
  assert.ok(SPECIFICATION.includes(`\`lv0/manifest.json: ${versionProblem(FORMAT_VERSION - 1)}\``));
  for (const format of FORMATS)
    assert.ok(
      rowsOf(`\`${format}\``).some((cells) => {
        const caps = cells.slice(1).flatMap((cell) => [Number(cell), Number(cell)]);
        return JSON.stringify(caps) === JSON.stringify(PAGE_CAPS[format]);
      }),
      format,
    );
  const [few, many] = [FEATURES_PER_FILE[0], FEATURES_PER_FILE[2]];
  assert.deepEqual(FEATURES_PER_FILE, [few, few, many, many, many, many]);
  assert.ok(SPECIFICATION.includes(`feature file but the last: ${few} at levels 0 and 1, ${many} at the others\n`));
  const hexOf = (number: number): string => number.toString(16).padStart(2, '0');
  assert.ok(SPECIFICATION.includes(`xor 0x${hexOf(swapSeparator(0))} it is that with a line feed`));
  for (const format of FORMATS) {
    const [cells] = rowsOf(`\`${format}\` | ${FRAMES[format].before === '' ? 'nothing' : 'as below'}`);
    assert.ok(cells?.[2]?.startsWith(`\`${hexOf(SEPARATORS[format])}\``), format);
  }
  assert.ok(SPECIFICATION.includes(`\`${SEAM.toString('hex').replaceAll(/(..)(?!$)/g, '$1 ')}\``));
  for (const place of ['before', 'after'] as const) {
    const [cells] = rowsOf(`${place} |`);
    assert.equal(cells?.[1], `\`${FRAMES.fc[place].replace('\n', '⏎')}\``);
    const hex = FRAME_DATA.fc[place].data.toString('hex').replaceAll(/(..)(?!$)/g, '$1 ');
    const [, written] = /`([0-9a-f ]+)`/.exec(cells?.[2] ?? '') ?? [];
    assert.ok(written !== undefined && hex.startsWith(written), place);
  }
});

test('the arrays are specified by name, type and order as the code writes them, those of other geometries too', () => {
  const tables = new Map([['low' as const, makeFeatures(1, []).table]]);
  const { index } = makeLevel(1, [], 'all', ['low']);
  const json = JSON.parse(encodeLevel('r', index, tables).manifest);
  const entriesOf = (arrays: Readonly<Record<string, { type: string }>>) =>
    Object.entries(arrays).map(([name, { type }]) => [name, type]);
  const section = SPECIFICATION.slice(SPECIFICATION.indexOf('\n## 5 '), SPECIFICATION.indexOf('\n## 6 '));
  const rows = section.split('\n').flatMap((line) => {
    const [, name, type] = /^\| `([\w<>.]+)` \| (f64|i32|u32|u8) \| /.exec(line) ?? [];
    return name === undefined ? [] : [[name, type] as const];
  });
  const named = (start: string, names: string[]) =>
    names.flatMap((one) =>
      rows.filter(([name]) => name.startsWith(start)).map(([name, type]) => [name.replace(start, one), type]),
    );
  const features = rows.filter(([name]) => !name.includes('<'));
  const specified = [...features, ...named('gid<c>', ['gid0', 'gid1']), ...named('<format>', ['geojsonl', 'fc'])];
  assert.deepEqual(specified, entriesOf(json.arrays));
  const [, list = ''] = /has the eight arrays (.*), in this order/.exec(SPECIFICATION) ?? [];
  const own = list.split(/, | and /).map((name) => name.replaceAll('`', ''));
  const ofTables = features.filter(([name]) => own.includes(name));
  assert.deepEqual(ofTables, entriesOf(json.geometries.low.arrays));
  assert.equal(own.length, 8);
});
