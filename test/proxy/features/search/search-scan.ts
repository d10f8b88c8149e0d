// Searches by a scan of all names: the model of GET /api/v1/search; what is typed, and the comparison over HTTP. It is
// one file because what is typed is drawn from what the scan knows.
import assert from 'node:assert/strict';
import { elementAt } from '../../../../format/element-at.ts';
import { foldText } from '../../../../format/fold-text.ts';
import { LEVELS, type Level } from '../../../../format/levels.ts';
import { nameForms } from '../../../../format/name-forms.ts';
import { foldedNames } from '../../../../format/words.ts';
import type { StoredLevel } from '../../../support/datasets/large-dataset.ts';
import { dice } from '../../../support/dice.ts';
import { send, type Target, textOf } from '../../../support/http/http-client.ts';
import { readNames } from '../../../support/releases/read-index.ts';
import { seedsOf } from '../../../support/slice.ts';

/** What a unit is found by. */
interface Labels {
  /** The default name; null for none. */
  name: string | null;
  /** All names, the default one first. */
  names: string[];
  codes: string[];
}

/** What each unit of a level is found by. */
function labelsIn(release: string, level: Level): Labels[] {
  const [header = [], ...lines] = readNames(release, level);
  return lines.map((values) => {
    const textsOf = (isWanted: (field: string) => boolean): string[] =>
      values.filter((value, i) => typeof value === 'string' && isWanted(String(header[i]))).map(String);
    const [name = null] = textsOf((field) => field === 'name');
    const others = values[header.indexOf('others')];
    const names = textsOf((field) => field === 'name' || field.startsWith('name:'));
    return {
      name,
      names: [...names, ...(Array.isArray(others) ? others.map(String) : [])],
      codes: textsOf((field) => field.startsWith('code:')),
    };
  });
}

interface Place {
  level: number;
  position: number;
}

/** A unit that a search finds. */
interface Found extends Place {
  match: string;
}

interface Named extends Place {
  text: string;
  bytes: Buffer;
}

/** The scan: every name that has the text behind a space or at its beginning, ordered as the contract says. */
export class Scan {
  readonly #text: string;
  /** Names by where their lines begin. */
  readonly #names = new Map<number, Named>();
  /** By folded text: few letters are typed again and again, and find the most. */
  readonly #found = new Map<string, Found[]>();
  readonly #stored: readonly StoredLevel[];
  readonly #gids = new Map<string, Place[]>();
  /** Those of the last level first. */
  readonly #codes = new Map<string, Place[]>();

  /**
   * @param levels the names of each unit
   * @param stored their GIDs, if these are looked for, too
   * @param codes of each unit
   */
  constructor(
    levels: readonly (readonly (readonly string[])[])[],
    stored: readonly StoredLevel[] = [],
    codes: readonly (readonly (readonly string[])[])[] = [],
  ) {
    this.#stored = stored;
    for (const [level, units] of [...codes.entries()].reverse())
      for (const [position, own] of units.entries())
        for (const code of new Set(own)) this.#codes.set(code, [...(this.#codes.get(code) ?? []), { level, position }]);
    for (const [level, { units }] of stored.entries())
      for (const [position, { gids }] of units.entries()) {
        const gid = gids.at(-1) ?? '';
        this.#gids.set(gid, [...(this.#gids.get(gid) ?? []), { level, position }]);
      }
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

  /**
   * Units whose GID the text is, then those of which it is a code, then those that have it in a name. Spaces around a GID
   * or code do not count, unless a GID has them.
   */
  find(typed: string): Found[] {
    const bare = typed.trim();
    const coded = [...new Set([typed, bare, bare.toUpperCase()])].flatMap((code) => this.#codes.get(code) ?? []);
    coded.sort((a, b) => b.level - a.level || a.position - b.position);
    const units = new Map<string, Found>();
    const identified = this.#gids.get(typed) ?? this.#gids.get(bare) ?? [];
    for (const unit of [...identified, ...coded].map((own) => ({ ...own, match: 'code' })))
      if (!units.has(placeOf(unit))) units.set(placeOf(unit), unit);
    return [...units.values(), ...this.#named(typed).filter((unit) => !units.has(placeOf(unit)))];
  }

  /**
   * The same of some units, or those that a form of the text finds; where that is nothing, the text is cut at a space,
   * the last one first: at most four words are of parents. What is before the cut has four letters, or is a whole name.
   */
  findOrCut(typed: string, isAllowed: (unit: Place) => boolean): Found[] {
    for (const [i, form] of nameForms(typed).entries()) {
      const found = foldText(form) === '' ? [] : i === 0 ? this.find(form) : this.#named(form);
      const whole = found.filter(isAllowed);
      if (whole.length > 0) return whole;
    }
    const words = foldText(typed).split(' ');
    for (let cut = words.length - 1; cut >= Math.max(1, words.length - 4); cut--) {
      const letters = Array.from(words.slice(0, cut).join('')).length;
      const units = this.#named(words.slice(0, cut).join(' ')).filter(isAllowed);
      const inside = units.filter(
        (unit) => (letters >= 4 || unit.match === 'name') && words.slice(cut).every((word) => this.#isIn(unit, word)),
      );
      if (inside.length > 0) return inside.map((unit) => ({ ...unit, match: 'divided' }));
    }
    return [];
  }

  gidsOf({ level, position }: Place): readonly string[] {
    return elementAt(elementAt(this.#stored, level).units, position).gids;
  }

  /** The names of a unit's parents, from the country down. @param names of the units by level */
  parentNamesOf({ level, position }: Place, names: readonly (readonly (string | null)[])[]): string[] {
    const above = this.gidsOf({ level, position }).slice(0, level);
    return above.flatMap((gid, n) => {
      const parent = this.#gids.get(gid)?.find((other) => other.level === n);
      return parent === undefined ? [] : (names[n]?.[parent.position] ?? []);
    });
  }

  /** Has one of a unit's parents a name with a word that begins so? */
  #isIn(unit: Place, word: string): boolean {
    const above = this.gidsOf(unit).slice(0, unit.level);
    return this.#named(word).some((other) => above[other.level] === this.gidsOf(other).at(-1));
  }

  #named(typed: string): Found[] {
    const wanted = foldText(typed);
    const found = this.#found.get(wanted) ?? this.#scan(wanted);
    this.#found.set(wanted, found);
    return found;
  }

  #scan(wanted: string): Found[] {
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
    const units = new Map<string, Found>();
    for (const { level, position, rank } of found) {
      const match = elementAt(['name', 'start', 'word'], rank);
      const place = placeOf({ level, position });
      if (!units.has(place)) units.set(place, { level, position, match });
    }
    return [...units.values()];
  }
}

function placeOf({ level, position }: Place): string {
  return `${level} ${position}`;
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

function beginning(text: string, characters: number): string {
  return Array.from(text).slice(0, characters).join('');
}

/**
 * Beginnings of names, with that of the name of a parent behind; one in three with that of any name, and one in four
 * with up to six words of parents.
 */
function* cutQueriesOf(names: readonly string[][][], scan: Scan, count: number, seed: number): Generator<string> {
  const draw = dice(seed);
  const nameOf = ({ level, position }: Place): string => names[level]?.[position]?.[0] ?? '';
  const below = names.flatMap((units, level) =>
    units.slice(0, level * units.length).map((_, position) => ({ level, position })),
  );
  const any = queriesOf(names.flat(2), count, seed);
  for (let i = 0; i < count; i++) {
    const unit = elementAt(below, draw(below.length));
    const [parent = unit] = scan.find(scan.gidsOf(unit)[draw(unit.level)] ?? '');
    const words = i % 4 === 3 ? 1 + draw(6) : 1;
    const ofParent = Array.from({ length: words }, () => beginning(nameOf(parent), 1 + draw(8))).join(' ');
    const end = i % 3 === 2 ? any.next().value : ofParent;
    const query = `${beginning(nameOf(unit), 3 + draw(6))}${i % 2 === 0 ? ' ' : ', '}${end}`;
    if (foldText(query) !== '') yield query;
  }
}

/** What a search answers: the level and GID of each unit. */
export async function search(
  service: Target,
  query: string,
): Promise<{ matched: number; found: string[]; matches: string[]; parents: string[][]; text: string }> {
  const answer = await send(service, `/api/v1/search?${query}`);
  const text = textOf(answer);
  assert.equal(answer.status, 200, text);
  assert.equal(answer.headers['content-type'], 'application/geo+json');
  const { type, features, levels, gids, names, matches, parents, ...more } = JSON.parse(text);
  assert.deepEqual([type, more, levels.length], ['FeatureCollection', {}, features.length]);
  const columnOf = (column: string): unknown[] =>
    features.map(({ properties }: { properties: Record<string, string> }, i: number) => {
      const level = levels[i].slice(2);
      return properties[`${column}_${level}`] || (level === '0' ? properties['COUNTRY'] : undefined) || null;
    });
  assert.deepEqual([gids, names], [columnOf('GID'), columnOf('NAME')]);
  const found = gids.map((gid: string, i: number) => `${levels[i]} ${gid}`);
  return { matched: Number(answer.headers['boundaries-matched']), found, matches, parents, text };
}

/**
 * Compares so many searches with a scan, half as many that name parents, and some for GIDs: of all levels, of some, and
 * inside a country.
 * @param release the folder of the release that the service serves
 * @param stored its features
 */
export async function assertSearches(
  service: Target,
  { release, stored }: { release: string; stored: readonly StoredLevel[] },
  count: number,
  country: string,
): Promise<void> {
  const labels = LEVELS.map((level) => labelsIn(release, level));
  const names = labels.map((units) => units.map((unit) => unit.names));
  const defaults = labels.map((units) => units.map(({ name }) => name));
  const codes = labels.map((units) => units.map((unit) => unit.codes));
  const scan = new Scan(names, stored, codes);
  const gids = stored.flatMap(({ units }) => units.slice(-2).map((unit) => unit.gids.at(-1) ?? ''));
  const queries = seedsOf(1).flatMap((seed) => [
    ...queriesOf(names.flat(2), count, seed),
    ...cutQueriesOf(names, scan, count / 2, seed),
  ]);
  const ways: [more: string, limit: number, isAllowed: (unit: Place) => boolean][] = [
    ['', 20, () => true],
    ['&level=lv1,lv3&limit=100', 100, ({ level }) => level === 1 || level === 3],
    [`&gid-0=${country}&limit=7`, 7, (unit) => scan.gidsOf(unit)[0] === country],
  ];
  let inParents = 0;
  for (const query of [...queries, ...gids])
    for (const [more, limit, isAllowed] of ways) {
      const units = scan.findOrCut(query, isAllowed);
      const labels = units.map((unit) => `lv${unit.level} ${scan.gidsOf(unit).at(-1)}`);
      const { matched, found, matches, parents } = await search(service, `q=${encodeURIComponent(query)}${more}`);
      assert.deepEqual([matched, found], [labels.length, labels.slice(0, limit)], `${query}${more}`);
      const brought = units.slice(0, limit);
      const expected = [brought.map(({ match }) => match), brought.map((unit) => scan.parentNamesOf(unit, defaults))];
      assert.deepEqual([matches, parents], expected, `${query}${more}`);
      if (units.length > 0 && !scan.find(query).some(isAllowed)) inParents++;
    }
  assert.ok(inParents > count / 8, `${inParents} texts of which the end is of parents`);
}
