// Releases whose every checksum is right and whose content is wrong, as a fault of the generator would make them:
// `verify` names the page or the file that says what it should not.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { cpSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { constants, deflateRawSync, gzipSync } from 'node:zlib';
import { deflateBlock, GZIP_HEADER, gzipTrailer, LAST_BLOCK, sumOf } from '../format/gzip.ts';
import { verify } from '../generator/verify.ts';
import { buildRelease, countryLayers, SILENT, square, temporaryFolder, writeDataset } from './fixture.ts';
import { packPage, replacePage, resealLevel, resealRelease, summaryOf, textOf } from './reseal.ts';

const folder = temporaryFolder();
const layers = countryLayers((level) => `ADM_${level}`);
const [countries, ...others] = layers;
assert.ok(countries);
// Two units too long to share a block, and one without a GID.
const long = ['CCC', 'DDD'].map((gid, i) => ({
  fid: 5 + i,
  values: [gid, gid.repeat(70_000)],
  wkt: square(20, i * 5),
}));
const nameless = { fid: 9, values: [null, 'Nowhere'], wkt: null };
const all = { ...countries, features: [...countries.features, ...long, nameless] };
const good = join(folder, 'good');
await buildRelease(writeDataset(join(folder, 'all.gpkg'), 'GPKG', [all, ...others]), good, { accept: ['null-gids'] });

/** What `verify` finds once `change` has been made to a fresh copy, problems by path relative to the release. */
async function problemsOf(change: (root: string) => void, from = good): Promise<Record<string, string[]>> {
  const out = join(folder, 'changed');
  rmSync(out, { recursive: true, force: true });
  cpSync(from, out, { recursive: true });
  change(join(out, 'releases/r1'));
  const { faults } = await verify({ out, workers: 0 }, SILENT);
  const problems: Record<string, string[]> = {};
  for (const fault of faults) {
    const path = fault.path.replace('releases/r1/', '');
    problems[path] = [...(problems[path] ?? []), fault.problem];
  }
  return problems;
}

const all2 = 'lv2/geojsonl/all/000001.geojsonl.gz';
const under2 = 'lv2/geojsonl/gid-0/AAA/000001.geojsonl.gz';
const fc2 = 'lv2/fc/all/000001.json.gz';
const all0 = 'lv0/geojsonl/all/000001.geojsonl.gz';

test('sealing again what has not changed gives a release without faults', async () => {
  const unchanged = await problemsOf((root) => {
    const { bytes, blocks } = packPage([textOf(root, all2)]);
    replacePage(root, all2, bytes, blocks);
    replacePage(root, fc2, packPage([textOf(root, fc2)]).bytes);
  });
  assert.deepEqual(unchanged, {});
});

test('text that is not the features it should be, in either format: the page is named, and what is wrong', async () => {
  const cases: [string, (text: string) => string, RegExp][] = [
    [under2, (text) => text.replace('Næst', 'Nast'), /^fid 1 is not as the unfiltered geojsonl page has it$/],
    [under2, (text) => text.replace('"id":1', '"id":3'), /^a feature's id is 3, expected 1$/],
    [under2, (text) => text.replace('"fid":1', '"fid":3'), /^fid 1: properties\.fid is 3$/],
    [under2, (text) => text.replace('"AAA"', '"BBB"'), /^fid 1: GID_0 is "BBB", the manifest has "AAA"$/],
    [under2, (text) => text.replace('"AAA"', 'null'), /^fid 1: GID_0 is null, the manifest has "AAA"$/],
    [under2, (text) => text.replace('[0,3]', '[0,03]'), /^a feature is not JSON/],
    [under2, (text) => text.split('\n').slice(1).join('\n'), /^a feature's id is 2, expected 1$/],
    [under2, (text) => `${text.split('\n').toReversed().slice(1).join('\n')}\n`, /^a feature's id is 4, expected 1$/],
    [under2, (text) => `${text.split('\n').slice(0, 2).join('\n')}\n`, /^ends after 2 lines, expected more$/],
    [under2, (text) => text + text, /^line 4 stands behind its end$/],
    [under2, (text) => `${text} `, /^ends with " ", expected a line feed$/],
    [under2, (text) => text.slice(0, -1), /^ends after 2 lines, expected more$/],
    [under2, (text) => text.replace('"Feature"', '"Future"'), /^a line is not a GeoJSON feature$/],
    [fc2, (text) => text.replace('FeatureC', 'FutureC'), /^line 1 begins with /],
    [fc2, (text) => text.replace('\n,', '\n'), /^line 3 begins with "\{", expected ","$/],
    [fc2, (text) => text.replace('\n,', '\n,,'), /^a feature is not JSON/],
    [fc2, (text) => text.replace('\n{', '\n,{'), /^a feature is not JSON/],
    [fc2, (text) => text.replace(/\]\}\n$/, ']}'), /^ends after 5 lines, expected more$/],
    [fc2, (text) => text.replace(/\]\}\n$/, '] }\n'), /^line 6 begins with "\] \}", expected "\]\}\\n"$/],
    [fc2, (text) => text.replace(/\]\}\n$/, ']}\n\n'), /^line 7 stands behind its end$/],
    [fc2, (text) => text.replace('東', '西'), /^fid 3 is not as the unfiltered geojsonl page has it$/],
    [fc2, (text) => text.replace('[0,3]', '[0,3.0]'), /^fid 1 is not as the unfiltered geojsonl page has it$/],
  ];
  for (const [path, change, problem] of cases) {
    const problems = await problemsOf((root) => {
      const text = textOf(root, path);
      assert.notEqual(change(text), text);
      replacePage(root, path, packPage([change(text)]).bytes);
    });
    assert.deepEqual(Object.keys(problems), [path], String(problem));
    assert.match(problems[path]?.[0] ?? '', problem);
  }
});

test('text that is not UTF-8, and what is wrong with an unfiltered page alone, without the others being blamed', async () => {
  const invalid = await problemsOf((root) => {
    const text = Buffer.from(textOf(root, all2));
    text[text.indexOf('æ')] = 0xff;
    const deflated = deflateBlock(text);
    const block = { features: 4, bytes: deflated.length, text: text.length, crc: sumOf(text).crc };
    replacePage(root, all2, Buffer.concat([GZIP_HEADER, deflated, LAST_BLOCK, gzipTrailer(sumOf(text))]), [block]);
  });
  assert.deepEqual(invalid, { [all2]: ['a feature is not UTF-8'] });
  const renamed = await problemsOf((root) => {
    const { bytes, blocks } = packPage([textOf(root, all2).replace('"GID_1":"BBB.1_1"', '"GID_1":"BBB.9_9"')]);
    replacePage(root, all2, bytes, blocks);
  });
  assert.deepEqual(renamed, { [all2]: ['fid 3: GID_1 is "BBB.9_9", the manifest has "BBB.1_1"'] });
});

test('a gzip file that is not one plain member, to the byte', async () => {
  const cases: [string, (bytes: Buffer, text: string) => Buffer, RegExp][] = [
    [fc2, (bytes) => Buffer.concat([bytes, bytes]), /^its deflate stream ends after \d+ of \d+ bytes$/],
    [fc2, (bytes) => Buffer.concat([bytes, Buffer.of(0)]), /^inflates to more than \d+ bytes$/],
    [fc2, (_, text) => gzipSync(text), /^its gzip header is [0-9a-f]+, expected 1f8b08/],
    [
      fc2,
      (bytes) => Buffer.concat([bytes.subarray(0, -10), bytes.subarray(-8)]),
      /^cannot be inflated: unexpected end/,
    ],
    [fc2, (bytes) => Buffer.concat([bytes.subarray(0, -8), Buffer.alloc(4), bytes.subarray(-4)]), /^its gzip trailer/],
    [fc2, (bytes) => Buffer.concat([bytes.subarray(0, -4), Buffer.alloc(4)]), /^inflates to more than 0 bytes$/],
    [fc2, (bytes) => Buffer.concat([bytes.subarray(0, -4), Buffer.alloc(4, 0x7f)]), /^its gzip trailer/],
    [fc2, () => Buffer.from(GZIP_HEADER), /^is too short for a gzip member$/],
    [fc2, () => Buffer.of(), /^ends after 0 bytes, expected 10$/],
  ];
  for (const [path, change, problem] of cases) {
    const problems = await problemsOf((root) => {
      replacePage(root, path, change(readFileSync(join(root, path)), textOf(root, path)));
    });
    assert.deepEqual(Object.keys(problems), [path], String(problem));
    assert.match(problems[path]?.[0] ?? '', problem);
  }
});

test('the same of pages so large that they are inflated as streams', async () => {
  // Hexadecimal digits of a hash deflate to no less than half their length.
  const name = (gid: string): string =>
    Array.from({ length: 20_000 }, (_, i) => createHash('sha256').update(`${gid} ${i}`).digest('hex')).join('');
  const units = ['AAA', 'BBB', 'CCC'].map((gid, i) => ({ fid: i, values: [gid, name(gid)], wkt: square(i, 0) }));
  const from = join(folder, 'large');
  await buildRelease(writeDataset(join(folder, 'large.gpkg'), 'GPKG', [{ ...countries, features: units }]), from);
  const path = 'lv0/fc/all/000001.json.gz';
  const cases: [(bytes: Buffer, text: string) => Buffer, RegExp | undefined][] = [
    [(bytes) => bytes, undefined],
    [(_, text) => packPage([text.slice(0, 9), text.slice(9, 2e6), text.slice(2e6)]).bytes, undefined],
    [(_, text) => packPage([text.replace('"BBB"', '"BBC"')]).bytes, /^fid 1: GID_0 is "BBC", the manifest has "BBB"$/],
    [
      (_, text) => packPage([text.replace(/."},/, 'x"},')]).bytes,
      /^fid \d is not as the unfiltered geojsonl page has it$/,
    ],
    [(_, text) => packPage([text.slice(0, -4)]).bytes, /^ends after 3 lines, expected more$/],
    [(_, text) => packPage([`${text} `]).bytes, /^ends with " ", expected a line feed$/],
    [(bytes) => Buffer.concat([bytes, bytes]), /^its deflate stream ends after \d+ of \d+ bytes$/],
    [(bytes) => Buffer.concat([bytes, Buffer.alloc(20)]), /^its deflate stream ends after \d+ of \d+ bytes$/],
    [(bytes) => bytes.subarray(0, -10), /^cannot be inflated: /],
    [(bytes) => bytes.subarray(0, bytes.length >> 1), /^cannot be inflated: /],
    [(bytes) => Buffer.concat([bytes.subarray(0, -4), Buffer.alloc(4)]), /^its gzip trailer is/],
    [(bytes) => Buffer.concat([bytes.subarray(0, -8), Buffer.alloc(4), bytes.subarray(-4)]), /^its gzip trailer is/],
  ];
  for (const [change, problem] of cases) {
    const problems = await problemsOf((root) => {
      const bytes = readFileSync(join(root, path));
      assert.ok(bytes.length > 1.5e6);
      replacePage(root, path, change(bytes, textOf(root, path)));
    }, from);
    assert.deepEqual(Object.keys(problems), problem ? [path] : [], `${problem} ${JSON.stringify(problems)}`);
    if (problem) assert.match(problems[path]?.[0] ?? '', problem);
  }
});

test('blocks that do not stand alone, or do not hold what the manifest says', async () => {
  const change = (blocksOf: (text: string) => ReturnType<typeof packPage>) => (root: string) => {
    const { bytes, blocks } = blocksOf(textOf(root, all2));
    replacePage(root, all2, bytes, blocks);
  };
  const lines = (text: string): string[] => text.split(/(?<=\n)/);
  const halves = (text: string): string[] => [lines(text).slice(0, 2).join(''), lines(text).slice(2).join('')];
  assert.deepEqual(await problemsOf(change((text) => packPage(halves(text)))), {});
  const cases: [(text: string) => ReturnType<typeof packPage>, RegExp][] = [
    [
      (text) => {
        const { bytes, blocks } = packPage(halves(text));
        return { bytes, blocks: blocks.map((block, i) => ({ ...block, features: [1, 3][i] ?? 0 })) };
      },
      /^block 1 holds 2 features, expected 1$/,
    ],
    [
      (text) => {
        const { bytes, blocks } = packPage(halves(text));
        return { bytes, blocks: blocks.map((block, i) => ({ ...block, bytes: block.bytes + (i === 0 ? 1 : -1) })) };
      },
      /^block 1: (cannot be inflated|its deflate stream ends)/,
    ],
    [
      (text) => {
        const { bytes, blocks } = packPage([text]);
        return { bytes, blocks: blocks.map((block) => ({ ...block, crc: block.crc ^ 1 })) };
      },
      /^block 1: the CRC-32 of its text is \d+, expected \d+$/,
    ],
    [
      (text) => {
        const { bytes, blocks } = packPage([text]);
        return { bytes, blocks: blocks.map((block) => ({ ...block, text: block.text - 1 })) };
      },
      /^block 1: inflates to more than \d+ bytes$/,
    ],
    [
      (text) => {
        const { bytes, blocks } = packPage([text]);
        return { bytes, blocks: blocks.map((block) => ({ ...block, text: block.text + 1 })) };
      },
      /^block 1: inflates to \d+ bytes, expected \d+$/,
    ],
    [
      // Two blocks in one stream whose second refers back to the first.
      (text) => {
        const { bytes, blocks } = packPage(halves(text));
        const [first, second] = halves(text).map((half) => Buffer.from(half));
        assert.ok(first && second && blocks[0] && blocks[1]);
        const linked = deflateRawSync(second, { dictionary: first, finishFlush: constants.Z_FULL_FLUSH });
        const head = bytes.subarray(0, GZIP_HEADER.length + blocks[0].bytes);
        const tail = bytes.subarray(-(LAST_BLOCK.length + 8));
        return {
          bytes: Buffer.concat([head, linked, tail]),
          blocks: [blocks[0], { ...blocks[1], bytes: linked.length }],
        };
      },
      /^block 2: cannot be inflated: invalid distance too far back$/,
    ],
    [
      // A last block in the middle: any gunzip would stop there.
      (text) => {
        const { bytes, blocks } = packPage(halves(text));
        const [first] = halves(text).map((half) => deflateRawSync(Buffer.from(half)));
        assert.ok(first && blocks[0] && blocks[1]);
        const rest = bytes.subarray(GZIP_HEADER.length + blocks[0].bytes);
        return {
          bytes: Buffer.concat([GZIP_HEADER, first, rest]),
          blocks: [{ ...blocks[0], bytes: first.length }, blocks[1]],
        };
      },
      /^block 1: its deflate stream ends after \d+ of \d+ bytes$/,
    ],
  ];
  for (const [blocksOf, problem] of cases) {
    const problems = await problemsOf(change(blocksOf));
    assert.deepEqual(Object.keys(problems), [all2], String(problem));
    assert.match(problems[all2]?.[0] ?? '', problem);
  }
});

test('a block of several features that is too long to be read for one of them', async () => {
  const problems = await problemsOf((root) => {
    const { bytes, blocks } = packPage([textOf(root, all0)]);
    replacePage(root, all0, bytes, blocks);
  });
  assert.deepEqual(Object.keys(problems), [all0]);
  assert.match(problems[all0]?.[0] ?? '', /^block 1 holds 5 features in \d+ bytes of text, expected less than 262144$/);
});

test('counts of release.json that are not those of the manifests, and manifests that contradict themselves', async () => {
  for (const change of [{ features: 1 }, { listings: 1 }, { bytes: 1 }, { pages: { geojsonl: 1, fc: 5 } }]) {
    const problems = await problemsOf((root) =>
      resealRelease(root, (release) => ({
        ...release,
        levels: release.levels.with(2, { ...summaryOf(release, 2), ...change }),
      })),
    );
    assert.deepEqual(Object.keys(problems), ['release.json']);
    assert.match(problems['release.json']?.[0] ?? '', /^level 2 has 1 .*, its manifest \d+$/);
  }
  const foreign = await problemsOf((root) => resealLevel(root, 1, (manifest) => ({ ...manifest, release: 'r2' })));
  assert.deepEqual(foreign, { 'lv1/manifest.json': ['is of release r2, expected r1'] });
  const torn = await problemsOf((root) => resealLevel(root, 1, (manifest) => ({ ...manifest, fids: [3, 2, 1, 1] })));
  assert.deepEqual(torn, { 'lv1/manifest.json': ['fids[2] is out of order'] });
});
