// Searches by a scan of all names: the model of GET /api/v1/search; what is typed, and the comparison over HTTP.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { elementAt } from '../../format/element-at.ts';
import { namesPath } from '../../format/layout.ts';
import { LEVELS, type Level } from '../../format/levels.ts';
import { foldedNames, foldText } from '../../format/words.ts';
import type { StoredLevel } from '../support/datasets/large-dataset.ts';
import { dice } from '../support/dice.ts';
import { send, type Target, textOf } from '../support/http/http-client.ts';
import { seedsOf } from '../support/slice.ts';

/** The name of each unit of a level, in a list of its own; an empty one where it has none. */
function namesIn(release: string, level: Level): string[][] {
  const [, ...lines] = gunzipSync(readFileSync(join(release, namesPath(level))))
    .toString()
    .trimEnd()
    .split('\n');
  return lines.map((line) => {
    const [, , name]: (string | null)[] = JSON.parse(line);
    return typeof name === 'string' ? [name] : [];
  });
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
export class Scan {
  /** A line for each name. */
  readonly #text: string;
  /** Names by where their lines begin. */
  readonly #names = new Map<number, Named>();
  /** By folded text: few letters are typed again and again, and find the most. */
  readonly #found = new Map<string, Found>();

  constructor(levels: readonly (readonly (readonly string[])[])[]) {
    const lines: string[] = [];
    let at = 0;
    for (const [level, units] of levels.entries())
      for (const [position, own] of units.entries())
        for (const text of new Set(own.flatMap(foldedNames))) {
          this.#names.set(at, { level, position, text, bytes: Buffer.from(text) });
          lines.push(` ${text}\n`);
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
    let at = this.#text.indexOf(` ${wanted}`);
    while (at !== -1) {
      const named = this.#names.get(this.#text.lastIndexOf('\n', at) + 1) ?? assert.fail();
      const rank = named.text === wanted ? 0 : named.text.startsWith(wanted) ? 1 : 2;
      found.push({ ...named, rank });
      // Once for each name.
      at = this.#text.indexOf(` ${wanted}`, this.#text.indexOf('\n', at));
    }
    found.sort(
      (a, b) => a.rank - b.rank || a.level - b.level || Buffer.compare(a.bytes, b.bytes) || a.position - b.position,
    );
    const units = new Map(found.map(({ level, position }) => [`${level} ${position}`, { level, position }]));
    return { matched: units.size, units: [...units.values()] };
  }
}

/** Beginnings of words, with marks and without. */
export function* queriesOf(names: readonly string[], count: number, seed: number): Generator<string> {
  const draw = dice(seed);
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

/** What a search answers: the level and GID of each unit. */
export async function search(
  service: Target,
  query: string,
): Promise<{ matched: number; found: string[]; text: string }> {
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

/**
 * Compares so many searches with a scan: of all levels, of some, and inside a country.
 * @param release the folder of the release that the service serves
 * @param stored its features
 */
export async function assertSearches(
  service: Target,
  { release, stored }: { release: string; stored: readonly StoredLevel[] },
  count: number,
  country: string,
): Promise<void> {
  const names = LEVELS.map((level) => namesIn(release, level));
  const scan = new Scan(names);
  for (const query of seedsOf(1).flatMap((seed) => [...queriesOf(names.flat(2), count, seed)])) {
    const { matched, units } = scan.find(query);
    const gids = units.map(({ level, position }) => elementAt(elementAt(stored, level).units, position).gids);
    const labels = gids.map((own) => `lv${own.length - 1} ${own.at(-1)}`);
    const q = `q=${encodeURIComponent(query)}`;
    const all = await search(service, q);
    assert.deepEqual([all.matched, all.found], [matched, labels.slice(0, 20)], query);
    const some = await search(service, `${q}&level=lv1,lv3&limit=100`);
    const own = labels.filter((label) => /^lv[13]/.test(label));
    assert.deepEqual([some.matched, some.found], [own.length, own.slice(0, 100)], query);
    const inside = await search(service, `${q}&gid-0=${country}&limit=7`);
    const there = labels.filter((_, i) => gids[i]?.[0] === country);
    assert.deepEqual([inside.matched, inside.found], [there.length, there.slice(0, 7)], query);
  }
}
