// GET /api/v1/search: its answers against a scan of all names, and what a search may say.
import assert from 'node:assert/strict';
import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import naughtyStrings from 'big-list-of-naughty-strings' with { type: 'json' };
import { elementAt } from '../../format/element-at.ts';
import { namesPath, releasePath, wordsPath } from '../../format/layout.ts';
import { LEVELS, type Level, levelName } from '../../format/levels.ts';
import { decodeWords, foldedNames, foldText } from '../../format/words.ts';
import { encodeWords } from '../../generator/names/words.ts';
import { findUnits } from '../../proxy/data/words.ts';
import { staticHostOrigin } from '../../proxy/origin/static-host.ts';
import { dice } from '../support/dice.ts';
import { refusal, send, textOf } from '../support/http/http-client.ts';
import { startService } from '../support/http/in-process-proxy.ts';
import { startStaticHost } from '../support/http/static-host.ts';
import { replaceLevelFile } from '../support/releases/reseal.ts';
import { sampleOutput, worldOutput } from '../support/releases/world.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const out = await sampleOutput();
const service = await startService(out);

/** A line of a level's names. */
type NameLine = readonly [
  fid: number,
  gid: string,
  name: string | null,
  type: string,
  parent: string,
  children: number,
];

function namesIn(folder: string, release: string, level: Level): NameLine[] {
  const text = gunzipSync(readFileSync(join(folder, releasePath(release), namesPath(level)))).toString();
  return text
    .trimEnd()
    .split('\n')
    .slice(1)
    .map((line) => JSON.parse(line));
}

/** A folded name of a unit. */
interface Named {
  level: number;
  position: number;
  text: string;
  bytes: Buffer;
}

/** What a search finds: how many units, and which. */
interface Found {
  matched: number;
  units: { level: number; position: number }[];
}

/** The scan: every name that has the text behind a space or at its beginning, ordered as the contract says. */
class Scan {
  readonly #names: Named[] = [];
  readonly #text: string;
  readonly #starts: number[] = [];
  /** By folded text: few letters are typed again and again, and find the most. */
  readonly #found = new Map<string, Found>();

  constructor(levels: readonly (readonly (readonly string[])[])[]) {
    const lines: string[] = [];
    let at = 0;
    for (const [level, units] of levels.entries())
      for (const [position, own] of units.entries())
        for (const text of new Set(own.flatMap(foldedNames))) {
          this.#names.push({ level, position, text, bytes: Buffer.from(text) });
          lines.push(` ${text}\n`);
          this.#starts.push(at);
          at += text.length + 2;
        }
    this.#text = lines.join('');
  }

  find(typed: string): Found {
    const wanted = foldText(typed);
    const found = this.#found.get(wanted) ?? this.#scan(wanted);
    this.#found.set(wanted, found);
    return found;
  }

  #scan(wanted: string): Found {
    const found: (Named & { rank: number })[] = [];
    let last = -1;
    for (let at = this.#text.indexOf(` ${wanted}`); at !== -1; at = this.#text.indexOf(` ${wanted}`, at + 1)) {
      let [low, high] = [0, this.#starts.length];
      while (high - low > 1) {
        const middle = (low + high) >>> 1;
        if (elementAt(this.#starts, middle) <= at) low = middle;
        else high = middle;
      }
      if (low === last) continue;
      last = low;
      const named = elementAt(this.#names, low);
      const rank = named.text === wanted ? 0 : named.text.startsWith(wanted) ? 1 : 2;
      found.push({ ...named, rank });
    }
    found.sort(
      (a, b) => a.rank - b.rank || a.level - b.level || Buffer.compare(a.bytes, b.bytes) || a.position - b.position,
    );
    const units = new Map(found.map(({ level, position }) => [`${level} ${position}`, { level, position }]));
    return { matched: units.size, units: [...units.values()] };
  }
}

/** Beginnings of words, with marks and without. */
function* queriesOf(names: readonly string[], count: number): Generator<string> {
  const draw = dice(20_261_123);
  const words = names
    .flatMap((name) => [name, ...name.split(/(?<=[\s'-])/).slice(1)])
    .filter((word) => foldText(word) !== '');
  for (let i = 0; i < count; ) {
    const letters = Array.from(elementAt(words, draw(words.length)));
    const typed = letters.slice(0, 1 + draw(Math.min(letters.length, 8))).join('');
    const query = i % 2 === 0 ? typed : typed.normalize('NFKD').replaceAll(/\p{M}/gu, '').toUpperCase();
    if (foldText(query) === '') continue;
    i++;
    yield query;
  }
}

test('10,000 searches find what a scan of all names finds, in its order and number', () => {
  const naughty: readonly string[] = naughtyStrings;
  const sample = LEVELS.map((level) =>
    namesIn(out, 'sample', level).map(([, , name]) => (name === null ? [] : [name])),
  );
  // Units with several names, in every script.
  const levels = sample.with(
    4,
    naughty.map((name, i) => [name, elementAt(naughty, (7 * i) % naughty.length)]),
  );
  const scan = new Scan(levels);
  const searched = levels.map((units) => ({
    words: decodeWords(encodeWords(units), units.length, 'words.bin'),
    isAllowed: undefined,
  }));
  const names = levels.flat(2);
  for (const query of queriesOf(names, 10_000)) {
    const { matched, units } = scan.find(query);
    const limit = 1 + ((query.length * 13) % 30);
    assert.deepEqual(findUnits(query, searched, limit), { matched, units: units.slice(0, limit) }, query);
  }
});

/** What a search answers: the level and GID of each unit. */
async function search(query: string): Promise<{ matched: number; found: string[]; text: string }> {
  const answer = await send(service, `/api/v1/search?${query}`);
  const text = textOf(answer);
  assert.equal(answer.status, 200, text);
  assert.equal(answer.headers['content-type'], 'application/geo+json');
  const { type, features, levels, ...more } = JSON.parse(text);
  assert.deepEqual([type, more, levels.length], ['FeatureCollection', {}, features.length]);
  const found = features.map(
    ({ properties }: { properties: Record<string, string> }, i: number) =>
      `${levels[i]} ${properties[`GID_${levels[i].slice(2)}`]}`,
  );
  return { matched: Number(answer.headers['boundaries-matched']), found, text };
}

test('a search over HTTP answers with the units that a scan finds, of all levels, some, or inside a unit', async () => {
  const lines = LEVELS.map((level) => namesIn(out, 'sample', level));
  const scan = new Scan(lines.map((units) => units.map(([, , name]) => (name === null ? [] : [name]))));
  const names = lines.flatMap((units) => units.flatMap(([, , name]) => name ?? []));
  for (const query of queriesOf(names, 150)) {
    const { matched, units } = scan.find(query);
    const gids = units.map(({ level, position }) => `lv${level} ${lines[level]?.[position]?.[1]}`);
    const q = `q=${encodeURIComponent(query)}`;
    const all = await search(q);
    assert.deepEqual([all.matched, all.found], [matched, gids.slice(0, 20)], query);
    const some = await search(`${q}&level=lv1,lv3&limit=100`);
    const own = gids.filter((gid) => /^lv[13]/.test(gid));
    assert.deepEqual([some.matched, some.found], [own.length, own.slice(0, 100)], query);
    const inside = await search(`${q}&gid-0=ESP&limit=7`);
    const spanish = gids.filter((gid) => gid.split(' ')[1]?.startsWith('ESP'));
    assert.deepEqual([inside.matched, inside.found], [spanish.length, spanish.slice(0, 7)], query);
  }
});

test('what is found has the text of its level, without geometry unless that is asked for, in either coding', async () => {
  const { text } = await search('q=toledo&limit=3');
  const { features, levels } = JSON.parse(text);
  assert.equal(features.length, 3);
  for (const [i, level] of levels.entries()) {
    const gid = `gid-${level.slice(2)}=${features[i].properties[`GID_${level.slice(2)}`]}`;
    const alone = textOf(await send(service, `/api/v1/geojsonl/${level}?geometry=none&${gid}`));
    assert.ok(text.includes(alone.trimEnd()), alone);
  }
  for (const geometry of ['full', 'medium', 'low', 'point', 'none']) {
    const target = `/api/v1/search?q=to&limit=30&geometry=${geometry}`;
    const [gzip, plain] = await Promise.all(
      ['gzip', 'identity'].map((coding) => send(service, target, { 'accept-encoding': coding })),
    );
    assert.ok(gzip && plain && textOf(gzip) === textOf(plain), geometry);
    assert.notEqual(gzip.headers.etag, plain.headers.etag);
    const { features: found } = JSON.parse(textOf(gzip));
    assert.equal(found.length, 30);
    assert.ok(
      found.every((unit: { geometry: unknown }) => (unit.geometry === null) === (geometry === 'none')),
      geometry,
    );
    const headers = { 'accept-encoding': 'gzip', 'if-none-match': gzip.headers.etag };
    assert.equal((await send(service, target, headers)).status, 304);
    const head = await send(service, target, { 'accept-encoding': 'gzip' }, 'HEAD');
    assert.deepEqual([head.headers['content-length'], head.body.length], [gzip.headers['content-length'], 0]);
    assert.equal(Number(head.headers['content-length']), gzip.body.length);
  }
});

test('a search that finds nothing is an empty collection', async () => {
  for (const query of ['q=xqzw', 'q=toledo&gid-0=none', 'q=toledo&level=lv5']) {
    const { matched, text } = await search(query);
    assert.deepEqual([matched, text], [0, '{"type":"FeatureCollection","features":[\n],"levels":[]}\n']);
  }
});

test('bad input is 400 and says what is allowed', async () => {
  for (const [query, detail] of [
    ['', /^q is missing\. Allowed: the beginning of .* 1 to 100 characters/],
    ['q=', /^q is empty\. Allowed: /],
    ['q=%20', /^q is " "\. Allowed: .*at least one of them a letter or digit/],
    ['q=...%2C%21', /^q is .*at least one of them a letter or digit/],
    [`q=${'a'.repeat(101)}`, /^q has 101 characters\. Allowed: .*1 to 100/],
    [`q=${encodeURIComponent('𐌰'.repeat(101))}`, /^q has 101 characters/],
    ['q=a&limit=0', /^limit is "0"\. Allowed: a whole number from 1 to 100/],
    ['q=a&limit=101', /^limit is "101"\. Allowed: a whole number from 1 to 100/],
    ['q=a&limit=1.5', /^limit is /],
    ['q=a&level=lv9', /^level is "lv9"\. Allowed: some of lv0, lv1, lv2, lv3, lv4, lv5/],
    ['q=a&level=lv1,', /^level is "lv1,"/],
    ['q=a&level=lv1,lv1', /^level is "lv1,lv1"/],
    ['q=a&level=lv1&gid-2=A', /^gid-2 is not a filter of lv1\. Allowed: gid-0 to gid-1/],
    ['q=a&geometry=small', /^geometry is "small"\. Allowed: one of full/],
  ] as const)
    assert.match(refusal(await send(service, `/api/v1/search?${query}`), 400, 'bad-parameter'), detail, query);
  refusal(await send(service, '/api/v1/search?q=%ff'), 400, 'bad-encoding');
  refusal(await send(service, '/api/v1/search?q=a&page-size=1'), 400, 'unknown-parameter');
  refusal(await send(service, '/api/v1/search?q=a&q=b'), 400, 'duplicate-parameter');
  refusal(await send(service, '/api/v1/search?q=a', { authorization: undefined }), 401, 'token-missing');
  assert.equal((await send(service, `/api/v1/search?q=${encodeURIComponent('𐌰'.repeat(100))}`)).status, 200);
});

test('units of any size are one body, from a folder and from a host', async () => {
  const world = await worldOutput();
  const { url } = await startStaticHost(world);
  const services = [
    await startService(world),
    await startService(world, { origin: staticHostOrigin({ url, headers: {} }) }),
  ];
  for (const query of [
    'q=unit&limit=100&geometry=full',
    'q=unit&limit=100',
    'q=unit&limit=50&level=lv3&geometry=low',
  ]) {
    const [folder, host] = await Promise.all(services.map((each) => send(each, `/api/v1/search?${query}`)));
    assert.ok(folder && host && folder.body.equals(host.body), query);
    const { features, levels } = JSON.parse(textOf(folder));
    for (const [i, { id }] of features.entries()) {
      const geometry = /geometry=(\w+)/.exec(query)?.[1] ?? 'none';
      const one = `/api/v1/fc/${levels[i]}?start-at=${id}&page-size=1&geometry=${geometry}`;
      assert.deepEqual(JSON.parse(textOf(await send(elementAt(services, 0), one))).features[0], features[i], one);
    }
    assert.ok(features.length >= 50);
    assert.equal(features.length, levels.length);
  }
});

test('words that contradict themselves are refused when they are loaded: 502, and other requests are answered', async () => {
  const folder = join(temporaryFolder(), 'out');
  cpSync(await worldOutput({ isChanged: true }), folder, { recursive: true });
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
