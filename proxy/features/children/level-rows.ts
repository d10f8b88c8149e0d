// The rows of a level's units as answers list them: JSON, deflated when it is brought into memory. Units that follow one
// another below the same parents are a group, which is deflate data with a seam: a page is joined from groups, and
// nothing is deflated for it. Units with few siblings share a group. Of a group that a page has a part of, that part is
// stored in the page, not deflated.
import { constants, crc32, deflateRawSync, inflateRawSync } from 'node:zlib';
import { elementAt, i32At, u32At } from '../../../format/element-at.ts';
import { ownersOf } from '../../../format/gid-column.ts';
import { type DeflatedText, storedBytes, storingBlocks } from '../../../format/gzip.ts';
import { lastU32UpTo } from '../../../format/last-up-to.ts';
import type { LevelIndex } from '../../../format/level-index.ts';
import { LEVELS, levelName } from '../../../format/levels.ts';
import type { NameField } from '../../../format/names.ts';
import { resultOf } from '../../../format/steps.ts';
import { TAG_CHARS, tagOf } from '../../bodies/answer.ts';
import type { LoadedLevel, Part } from '../../data/loaded-release.ts';
import { nextTurn } from '../../work/next-turn.ts';
import { hasLanguage, type Language } from '../names/languages.ts';
import { GIDS } from '../names/level-names.ts';
import { readNames } from '../names/names-file.ts';

/** What is between two rows of a page. */
export const SEPARATOR = ',\n';
/** A group ends with so many rows, of which a page of 1,000 or 100 has whole groups, or behind so many bytes of text. */
const [GROUP_ROWS, GROUP_BYTES] = [50, 32 * 1024];
/** So many siblings have a group of their own: to deflate a group takes as long as many rows. */
const FAMILY_ROWS = 10;
/** A window with room for a usual group: to set up a larger one takes longer than to deflate few rows. */
const DEFLATE_OPTIONS = { level: 6, windowBits: 13, finishFlush: constants.Z_FULL_FLUSH };
/** Memory that zlib takes at least. */
const CHUNK_MIN_BYTES = 64;
const INFLATE_OPTIONS = { finishFlush: constants.Z_SYNC_FLUSH };
/** Of each level the rows in so many languages stay in memory, besides those with default names. */
const LANGUAGES = { most: 2 } as const;

/** Rows of a page that are of one group. */
export interface RowsPart {
  /** Is it a whole group? Of others the group was inflated. */
  readonly isWhole: boolean;
  /** Of their deflate data. */
  readonly bytes: number;
  /** A text that no part with other data has. */
  readonly tag: string;
  /** The deflate data, with separators between them. */
  deflated(): DeflatedText;
}

/** The groups of a level: of each its first position, where its data begins, and the CRC of its text. */
interface Groups {
  first: Uint32Array;
  at: Uint32Array;
  crc: Uint32Array;
  /** The beginnings of their SHA-256, joined. */
  digests: Buffer;
  data: Buffer;
}

/** The rows of a level, by position. */
export class LevelRows {
  /** Where each row begins in the text of all, each of them with a separator behind it. */
  readonly #start: Uint32Array;
  readonly #groups: Groups;
  /** The text of a group that was inflated last: rows that follow one another in a page are often of one. */
  #inflated = { group: -1, text: Buffer.alloc(0) };

  constructor(start: Uint32Array, groups: Groups) {
    this.#start = start;
    this.#groups = groups;
  }

  /** Bytes in memory. */
  get bytes(): number {
    const { first, at, crc, digests, data } = this.#groups;
    return this.#start.byteLength + first.byteLength + at.byteLength + crc.byteLength + digests.length + data.length;
  }

  /** Bytes of the text of rows, with a separator behind each. */
  textBytes(first: number, end: number): number {
    return u32At(this.#start, end) - u32At(this.#start, first);
  }

  /** The text of a row. */
  textAt(position: number): string {
    return this.#textOf(this.#groupOf(position), position, position + 1).toString();
  }

  /** The rows from the first up to, not including, the end. */
  *parts(first: number, end: number): Generator<RowsPart> {
    const { first: firsts, at, crc, digests, data } = this.#groups;
    for (let group = this.#groupOf(first), from = first; from < end; group++) {
      const [begin, next] = [u32At(firsts, group), u32At(firsts, group + 1)];
      const to = Math.min(next, end);
      const length = this.textBytes(from, to) - SEPARATOR.length;
      const whole = data.subarray(u32At(at, group), u32At(at, group + 1));
      const tag = digests.toString('latin1', group * TAG_CHARS, (group + 1) * TAG_CHARS);
      if (from === begin && to === next) {
        const text = { data: whole, crc: u32At(crc, group), length };
        yield { isWhole: true, bytes: whole.length, tag, deflated: () => text };
      } else {
        const text = this.#textOf(group, from, to);
        // Not that of the group, of which others may change.
        const deflated = () => resultOf(storingBlocks([text]));
        yield { isWhole: false, bytes: storedBytes(length), tag: tagOf(text), deflated };
      }
      from = to;
    }
  }

  /** The text of rows of a group. */
  #textOf(group: number, first: number, end: number): Buffer {
    const { first: firsts, at, data } = this.#groups;
    if (this.#inflated.group !== group) {
      const text = inflateRawSync(data.subarray(u32At(at, group), u32At(at, group + 1)), INFLATE_OPTIONS);
      this.#inflated = { group, text };
    }
    const from = this.textBytes(u32At(firsts, group), first);
    return this.#inflated.text.subarray(from, from + this.textBytes(first, end) - SEPARATOR.length);
  }

  #groupOf(position: number): number {
    const groups = this.#groups.first;
    return lastU32UpTo(groups, position, 0, groups.length - 1);
  }
}

/** Gathers the rows of a level's units in order of position. */
export class RowsWriter {
  readonly #isSibling: (position: number) => boolean;
  readonly #start: Uint32Array;
  readonly #first: number[] = [];
  readonly #at: number[] = [0];
  readonly #crc: number[] = [];
  readonly #digests: string[] = [];
  readonly #data: Buffer[] = [];
  /** The rows of the group that is begun. */
  #rows: string[] = [];
  #rowsBytes = 0;
  #count = 0;
  /** The first one of the siblings that the last row is of. */
  #family = 0;

  /** @param isSibling has a unit the parents of the one before? */
  constructor(units: number, isSibling: (position: number) => boolean) {
    this.#start = new Uint32Array(units + 1);
    this.#isSibling = isSibling;
  }

  add(row: string): void {
    const isFull = this.#rows.length === GROUP_ROWS || this.#rowsBytes > GROUP_BYTES;
    const isFirst = this.#count > 0 && !this.#isSibling(this.#count);
    if (this.#rows.length > 0 && (isFull || (isFirst && this.#isDivided))) this.#endGroup();
    if (this.#rows.length === 0) this.#first.push(this.#count);
    if (isFirst) this.#family = this.#count;
    const bytes = Buffer.byteLength(row) + SEPARATOR.length;
    this.#rows.push(row);
    this.#rowsBytes += bytes;
    this.#start[this.#count + 1] = u32At(this.#start, this.#count) + bytes;
    this.#count++;
  }

  end(): LevelRows {
    if (this.#rows.length > 0) this.#endGroup();
    this.#first.push(this.#count);
    return new LevelRows(this.#start, {
      first: Uint32Array.from(this.#first),
      at: Uint32Array.from(this.#at),
      crc: Uint32Array.from(this.#crc),
      digests: Buffer.from(this.#digests.join(''), 'latin1'),
      data: Buffer.concat(this.#data),
    });
  }

  /** Has the family that ends, or the one that begins, a group of its own? */
  get #isDivided(): boolean {
    const end = this.#count + FAMILY_ROWS;
    if (this.#count - this.#family >= FAMILY_ROWS) return true;
    if (end >= this.#start.length) return false;
    for (let unit = this.#count + 1; unit < end; unit++) if (!this.#isSibling(unit)) return false;
    return true;
  }

  #endGroup(): void {
    const text = Buffer.from(this.#rows.join(SEPARATOR));
    // Its own 16 kB for each group zlib would leave to the collector, which Node 24 calls much too late.
    const data = deflateRawSync(text, { ...DEFLATE_OPTIONS, chunkSize: Math.max(text.length, CHUNK_MIN_BYTES) });
    // A copy: zlib wrote the beginning of that memory.
    this.#data.push(Buffer.from(data));
    this.#at.push(elementAt(this.#at, this.#at.length - 1) + data.length);
    this.#crc.push(crc32(text));
    this.#digests.push(tagOf(data));
    this.#rows = [];
    this.#rowsBytes = 0;
  }
}

/** Are the parents of a unit those of the one before, on all levels? Each level takes some milliseconds. */
async function siblingsIn({ level, columns, features }: LevelIndex): Promise<(position: number) => boolean> {
  const parents: Int32Array[] = [];
  for (const above of LEVELS.filter((one) => one < level)) {
    await nextTurn();
    parents.push(ownersOf(elementAt(columns, above), features));
  }
  return (position) => parents.every((numbers) => i32At(numbers, position) === i32At(numbers, position - 1));
}

/** The rows of a service. */
export class RowsParts {
  /** By the tags of languages, undefined for default names: a part is the same in the next release. */
  readonly #known = new Map<string | undefined, Part<LevelRows>>();

  /** The rows of a level in a language; with default names where the level does not have it. */
  of(level: LoadedLevel, language: Language | undefined): Part<LevelRows> {
    const tag = language !== undefined && hasLanguage(level, language.tag) ? language.tag : undefined;
    const known = this.#known.get(tag) ?? rowsPart(tag);
    this.#known.set(tag, known);
    return known;
  }
}

function rowsPart(tag: string | undefined): Part<LevelRows> {
  return {
    name: tag === undefined ? 'rows' : `rows in ${tag}`,
    type: LevelRows,
    ...(tag !== undefined && { group: LANGUAGES }),
    load: (level) => loadRows(level, tag),
  };
}

async function loadRows(level: LoadedLevel, tag: string | undefined): Promise<LevelRows> {
  const { index, summary } = level;
  const gids = await level.load(GIDS);
  const rows = new RowsWriter(index.features, await siblingsIn(index));
  const keys = Object.keys(summary.codeColumns ?? {}).sort();
  // The next release may not have a language that is in use.
  const own: NameField = tag !== undefined && hasLanguage(level, tag) ? `name:${tag}` : 'name';
  return readNames(level, {
    fields: [own, 'name', 'type', 'children', 'inside', 'area', 'view', ...keys.map((key) => `code:${key}` as const)],
    add([named, name = null, type = null, children, inside, area = null, view = null, ...codes], position) {
      const levels = levelsInside(inside);
      const row = {
        gid: gids.gidAt(position),
        name: named ?? name,
        type,
        fid: index.fidAt(position),
        children: levels.length === 0 ? 0 : children,
        inside: levels,
        area,
        view,
        codes: codesIn(keys, codes),
      };
      rows.add(JSON.stringify(row));
    },
    end: () => rows.end(),
  });
}

/** What is inside a unit, with the names of levels in place of their numbers. */
function levelsInside(inside: unknown): unknown[] {
  if (!Array.isArray(inside)) return [];
  return inside.flatMap((one: unknown): unknown[] => {
    const [number, ...rest]: unknown[] = Array.isArray(one) ? one : [];
    const level = LEVELS.find((known) => known === number);
    return level === undefined ? [] : [[levelName(level), ...rest]];
  });
}

/** The codes that a unit has; undefined if it has none. */
function codesIn(keys: readonly string[], codes: readonly unknown[]): Record<string, unknown> | undefined {
  const own = keys.flatMap((key, i) => (typeof codes[i] === 'string' && codes[i] !== '' ? [[key, codes[i]]] : []));
  return own.length === 0 ? undefined : Object.fromEntries(own);
}
