// The oracle against releases whose every checksum is right and whose names, pages, listings or shapes are derived
// wrongly, as a fault of the generator would make them: it names the file and says where.
import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { elementAt } from '../../../format/element-at.ts';
import { ownersOf } from '../../../format/gid-column.ts';
import { namesPath } from '../../../format/layout.ts';
import { gidColumn } from '../../../format/write/gid-column.ts';
import { encodeWords } from '../../../generator/names/words.ts';
import { withCountries } from '../../support/datasets/small-datasets.ts';
import { buildLayers, ONE_OTHER } from '../../support/releases/build-release.ts';
import { assertDerived } from '../../support/releases/oracle.ts';
import {
  packPage,
  replaceLevelFile,
  replacePage,
  replaceWholeFile,
  resealSummary,
  textOf,
} from '../../support/releases/reseal.ts';
import { changeArrays, replaceText } from '../../support/releases/reseal-features.ts';
import { copyOf, temporaryFolder } from '../../support/temporary-folder.ts';

const folder = temporaryFolder();
const good = join(folder, 'good');
const bare = { fid: 3, values: ['CCC', 'Celand'], wkt: null };
await buildLayers(withCountries(bare), { accept: ['empty-geometries'], ...ONE_OTHER }, good);

/** That the oracle refuses a copy of the release with this change. */
function assertRefused(change: (root: string) => void, problem: RegExp): void {
  const out = copyOf(good);
  change(join(out, 'releases/r1'));
  assert.throws(() => assertDerived(out, 'r1'), { message: problem });
  rmSync(out, { recursive: true });
}

const replaced = (from: string, to: string) => (text: string) => {
  assert.ok(text.includes(from), from);
  return text.replace(from, to);
};

test('names that say something else than the features', () => {
  const header = '["fid","gid","name","type","parent","children","view","inside","parents","area","others"]\n';
  const last = '"BBB",1,[10,0,14,4],[[2,1,null]],null,196790,[]]\n';
  const cases: [string, string, number][] = [
    [header, '', 1],
    ['[1,"AAA.1_1"', '[9,"AAA.1_1"', 2],
    ['"AAA.2_1"', '"AAA.9_1"', 3],
    ['"North"', '"Nord"', 2],
    ['"North",null', '"North","Region"', 2],
    ['null,"AAA",2', 'null,"BBB",2', 2],
    ['"AAA",2,[', '"AAA",3,[', 2],
    ['[0,2,2,4]', '[0,2,2,4.001]', 2],
    ['[0,2,2,4]', 'null', 2],
    ['[[2,2,null]]', '[]', 2],
    ['[[2,2,null]]', '[[2,2,"Town"]]', 2],
    ['[[2,2,null]],null', '[[2,2,null]],["AAA"]', 2],
    ['49168,[]]', '49168,["Nord"]]', 2],
    ['49168,', '49188,', 2],
    ['[1,', '[ 1,', 2],
    [`[3,"BBB.1_1","All",null,${last}`, '', 4],
    [last, `${last}[4,null,null,null,null,0,0,null,[],null,null,[]]\n`, 5],
    [last, last.trimEnd(), 4],
  ];
  for (const [from, to, line] of cases)
    assertRefused(
      (root) => replaceWholeFile(root, 1, replaced(from, to)),
      new RegExp(`^${namesPath(1)}: line ${line} is .*, expected `, 's'),
    );
  assertRefused((root) => replaceWholeFile(root, 5, () => ''), new RegExp(`^${namesPath(5)}: line 1 is undefined`));
  const words = encodeWords(Array(4).fill(['France']));
  assertRefused((root) => replaceLevelFile(root, 2, 'words', () => words), /^lv2\/words\.bin: names/);
});

test('pages, listings, texts and metadata that are derived wrongly', () => {
  const under2 = 'lv2/geojsonl/gid-0/AAA/000001.geojsonl.gz';
  const pageOf = (path: string, change: (text: string) => string) => (root: string) =>
    replacePage(root, path, packPage([change(textOf(root, path))]));
  const exchangedGids = (root: string): void =>
    changeArrays(root, 2, ({ columns, ...arrays }) => {
      const gids = gidColumn('GID_0', ['BBB', 'AAA'], ownersOf(elementAt(columns, 0), 4));
      return { ...arrays, columns: columns.with(0, gids) };
    });
  const lineMore = (bytes: Buffer): Buffer => Buffer.concat([bytes, Buffer.from('\n')]);
  const cases: [(root: string) => void, RegExp][] = [
    [pageOf(under2, replaced('Næst', 'Nast')), new RegExp(`^${under2}: line 1 is `)],
    [pageOf(under2, (text) => text.split('\n').slice(1).join('\n')), new RegExp(`^${under2}: line 1 is `)],
    [pageOf('lv2/fc/all/000001.json.gz', replaced('}},{', '}}{')), /^lv2\/fc\/all\/000001\.json\.gz: line 2 is /],
    [(root) => replaceText(root, 2, 0, replaced('[0,3]', '[0,03]')), /^its text is not JSON/],
    [(root) => replaceText(root, 2, 0, replaced('"Feature"', '"Future"')), /^its text is not a GeoJSON feature/],
    [(root) => replaceText(root, 2, 0, replaced('"geometry":{', '"geometry":7,"g":{')), /^has no geometry/],
    [(root) => replaceText(root, 2, 0, replaced('"id":1', '"id":3')), /^lv2\[0\]/],
    [(root) => replaceText(root, 2, 0, replaced('"bbox":[0,', '"box":[0,')), /^lv2\[0\]/],
    [(root) => changeArrays(root, 2, (own) => ({ ...own, part: own.box.slice(0, 5) })), /^lv2\/index\.bin: position 0/],
    [(root) => changeArrays(root, 2, (own) => ({ ...own, box: own.box.with(3, 1) })), /: its box lacks \d+,\d+$/],
    [exchangedGids, /^lv2\/index\.bin: column 0/],
    [(root) => replaceLevelFile(root, 2, 'manifest', lineMore), /^the form of the manifest/],
    [(root) => resealSummary(root, 2, () => ({ listings: 1 })), /^lv2: listings/],
    [(root) => rmSync(join(root, 'checksums.txt')), /^the files of the release/],
  ];
  for (const [change, problem] of cases) assertRefused(change, problem);
});
