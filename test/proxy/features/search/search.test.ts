// GET /api/v1/search: its answers against a scan of all names, and what a search may say.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import naughtyStrings from 'big-list-of-naughty-strings' with { type: 'json' };
import { releasePath, wordsPath } from '../../../../format/layout.ts';
import { GEOMETRIES, LEVELS, levelName } from '../../../../format/levels.ts';
import { resultOf } from '../../../../format/steps.ts';
import { namesHeader } from '../../../../format/write/texts.ts';
import { encodeWords } from '../../../../generator/names/words.ts';
import { findingUnits } from '../../../../proxy/features/search/find-units.ts';
import { WORDS } from '../../../../proxy/features/search/level-words.ts';
import { directoryOrigin } from '../../../../proxy/origin/directory.ts';
import type { Origin } from '../../../../proxy/origin/origin.ts';
import { readStored } from '../../../support/datasets/large-dataset.ts';
import { decodeWords } from '../../../support/decode-words.ts';
import { refusal, send, textOf } from '../../../support/http/http-client.ts';
import { startService } from '../../../support/http/in-process-proxy.ts';
import { replaceNames } from '../../../support/releases/large-page.ts';
import { replaceLevelFile } from '../../../support/releases/reseal.ts';
import { worldOutput } from '../../../support/releases/world.ts';
import { seedsOf } from '../../../support/slice.ts';
import { turnsDuring } from '../../../support/turns-during.ts';
import { assertSearches, queriesOf, Scan, search } from './search-scan.ts';

/** Searches that are compared with a scan: in this process, and over HTTP. */
const SEARCHES = 2_000;
const SEARCHES_OVER_HTTP = 40;
/** The names of all countries, in a file for each language. */
const LANGUAGES = 'node_modules/i18n-iso-countries/langs';

const out = await worldOutput();
const service = await startService(out);

/** Units with several names, of every script, by level; on the last one those that break programs. */
function unitsOfAllScripts(): (readonly string[])[][] {
  const files = readdirSync(LANGUAGES).sort();
  const languages = files.map((file) => JSON.parse(readFileSync(join(LANGUAGES, file), 'utf8')).countries);
  const levels = LEVELS.slice(0, -1).map((level) =>
    Object.keys(languages[0]).map((code): string[] =>
      languages.filter((_, i) => i % LEVELS.length === level).flatMap((names) => names[code] ?? []),
    ),
  );
  const naughty: readonly string[] = naughtyStrings;
  return [...levels, naughty.map((name, i) => [name, naughty[(7 * i) % naughty.length] ?? name])];
}

test('searches find what a scan of all names finds, in its order and number', () => {
  const levels = unitsOfAllScripts();
  const scan = new Scan(levels);
  const searched = levels.map((units) => ({
    words: decodeWords(encodeWords(units), units.length, 'words.bin'),
    isAllowed: undefined,
  }));
  for (const seed of seedsOf(1))
    for (const query of queriesOf(levels.flat(2), SEARCHES, seed)) {
      const found = scan.find(query);
      const limit = 1 + ((query.length * 13) % 30);
      const expected = { matched: found.length, units: found.slice(0, limit) };
      assert.deepEqual(resultOf(findingUnits(query, searched, limit)), expected, query);
    }
});

test('a search over HTTP answers with the units that a scan finds, of all levels, some, or inside a unit', async () => {
  const world = { release: join(out, releasePath('r1')), stored: readStored(out, 'r1') };
  await assertSearches(service, world, SEARCHES_OVER_HTTP, 'U0.3_1');
});

test('what is found has the text of its level, without geometry unless that is asked for, in either coding', async () => {
  for (const geometry of [undefined, ...GEOMETRIES]) {
    const asked = geometry === undefined ? '' : `&geometry=${geometry}`;
    const { text } = await search(service, `q=unit&limit=30${asked}`);
    const { features, levels } = JSON.parse(text);
    assert.equal(features.length, 30);
    for (const [at, unit] of features.entries()) {
      const one = `/api/v1/geojsonl/${levels[at]}?start-at=${unit.id}&page-size=1&geometry=${geometry ?? 'none'}`;
      assert.ok(text.includes(textOf(await send(service, one)).trimEnd()), one);
    }
  }
});

test('a search that finds nothing is an empty collection', async () => {
  for (const query of ['q=xqzw', 'q=unit&gid-0=none', 'q=form&level=lv1']) {
    const { matched, text } = await search(service, query);
    assert.equal(
      text,
      '{"type":"FeatureCollection","features":[\n],"levels":[],"gids":[],"names":[],"matches":[],"parents":[]}\n',
    );
    assert.equal(matched, 0);
  }
});

test('a search may have 100 characters, however many bytes these are', async () => {
  assert.equal((await send(service, `/api/v1/search?q=${encodeURIComponent('𐌰'.repeat(100))}`)).status, 200);
});

test('words that contradict themselves are refused when they are loaded: 502, and other requests are answered', async () => {
  const folder = await worldOutput({ pages: 'none', isChanged: true });
  replaceLevelFile(join(folder, releasePath('r1')), 2, 'words', (bytes) => {
    // The last key and its name, the first of all keys.
    bytes.writeUInt32LE(0xffff, 32 + 4 * (2 * bytes.readUInt32LE(16) + 1 + bytes.readUInt32LE(20)));
    return bytes;
  });
  const damaged = await startService(folder);
  refusal(await send(damaged, '/api/v1/search?q=unit'), 502, 'origin-damaged');
  assert.ok(
    damaged.log.some((line) => line.includes(`${wordsPath(2)}: key 0 is of name 65535`)),
    damaged.log.join(),
  );
  assert.equal((await send(damaged, '/api/v1/search?q=unit&level=lv3')).status, 200);
  assert.equal((await send(damaged, `/api/v1/fc/${levelName(2)}?page-size=1`)).status, 200);
});

test('other requests are answered while the words of a large level are checked', async () => {
  const folder = await worldOutput({ pages: 'none', isChanged: true });
  let file: Uint8Array = Buffer.of();
  let units = 0;
  replaceLevelFile(join(folder, releasePath('r1')), 2, 'words', (bytes) => {
    units = bytes.readUInt32LE(12);
    const names = Array.from({ length: Math.ceil(60_000 / units) }, (_, i) => `${'equal'.repeat(30)}${i}`);
    const made = encodeWords(Array.from({ length: units }, () => names));
    file = made;
    return made;
  });
  const source = directoryOrigin(folder);
  const read: Origin['read'] = (path, range, client) =>
    path.endsWith(wordsPath(2)) ? Promise.resolve(Buffer.from(file)) : source.read(path, range, client);
  const large = await startService(folder, { origin: { read } });
  const level = large.releases.current?.get(2) ?? assert.fail();
  const turns = await turnsDuring(level.load(WORDS));
  assert.equal(level.get(WORDS)?.arrays.text.length, decodeWords(file, units, 'words.bin').arrays.text.length);
  // Its digest takes a turn for each MiB.
  const ofDigest = file.length / 2 ** 20;
  assert.ok(turns > 2 * ofDigest + 10, `${turns} turns, ${ofDigest} of them for the digest`);
});

test('a search that takes long is work of its client, which is refused where too much of it waits', async () => {
  const folder = await worldOutput({ pages: 'none', isChanged: true });
  replaceLevelFile(join(folder, releasePath('r1')), 3, 'words', (bytes) => {
    const units = bytes.readUInt32LE(12);
    const names = Array.from({ length: Math.ceil(20_000 / units) }, (_, i) => `long ${i}`);
    return encodeWords(Array.from({ length: units }, () => names));
  });
  const busy = await startService(folder, { work: { running: 1, waiting: 0 } });
  // No body is read, which may be work, too.
  const statusOf = async (query: string): Promise<number> =>
    (await send(busy, `/api/v1/search?q=${query}`, {}, 'HEAD')).status;
  assert.equal(await statusOf('unit'), 200);
  for (const query of ['long', 'long%20unit', 'long%20unit%20unit']) assert.equal(await statusOf(query), 503, query);
  const idle = await startService(folder);
  assert.equal((await send(idle, '/api/v1/search?q=long&limit=1')).status, 200);
});

test('names whose text is a bomb are refused: by its length, by that of a line, and by more lines than units', async () => {
  const folder = await worldOutput({ pages: 'none', isChanged: true });
  const header = namesHeader();
  for (const [text, problem, textBytes] of [
    [header, /lv1\/names\.jsonl\.gz: has 200000000 bytes of text, at most \d+ are read/, 200_000_000],
    [`${header}${'['.repeat(3_000_000)}`, /lv1\/names\.jsonl\.gz: has a line of more than 1048576 bytes/],
    [`${header}${'[]\n'.repeat(1_000_000)}`, /lv1\/names\.jsonl\.gz: has more than \d+ units/],
    [`${header}${'[]\n'.repeat(1_000_000)}`, /lv1\/names\.jsonl\.gz: is not 1000 bytes of text/, 1000],
  ] as const) {
    replaceNames(folder, gzipSync(text), textBytes ?? text.length, 1);
    const damaged = await startService(folder);
    refusal(await send(damaged, '/api/v1/search?q=unit&level=lv1'), 502, 'origin-damaged');
    assert.ok(
      damaged.log.some((line) => problem.test(line)),
      damaged.log.join(),
    );
  }
});
