// A page as a body: what is before its rows, the rows of some units, and the end, joined as one gzip member. Length and
// entity tag follow from what is in memory: no text is made for them.
import { joinCrcs } from '../../../format/crc32.ts';
import { numberAt } from '../../../format/element-at.ts';
import {
  type DeflatedText,
  MEMBER_FRAME_BYTES,
  MEMBER_HEADER,
  storedBlock,
  writeMemberEnd,
} from '../../../format/gzip.ts';
import type { Ranges } from '../../../format/positions.ts';
import type { Steps } from '../../../format/steps.ts';
import { tagOf } from '../../bodies/answer.ts';
import type { Member } from '../../bodies/headers.ts';
import { type LevelRows, type RowsPart, SEPARATOR } from './level-rows.ts';

/** A page ends behind so many bytes of text: names may be long. */
const PAGE_BYTES = 2 * 1024 * 1024;
/** So many parts of groups, each of which may have to be inflated, take some hundred microseconds. */
const STEP_PARTS = 10;
const BETWEEN = storedBlock(SEPARATOR);
const [END, END_OF_NONE] = [storedBlock('\n]}\n'), storedBlock(']}\n')];

/** Rows of a level. */
export interface PageRows {
  rows: LevelRows;
  /** The positions of those that the page has, unless they are too long. */
  ranges: Ranges;
}

/** Finds the rows of a page. @param before the text before the rows */
export function* makingPage(before: string, page: PageRows | undefined): Steps<ChildrenPage> {
  const head = storedBlock(before);
  return new ChildrenPage(before, head, yield* findingParts(page, PAGE_BYTES - head.length));
}

/** Rows of a page, and the length of their text with separators between them. */
interface PageParts {
  parts: readonly RowsPart[];
  count: number;
  textBytes: number;
}

/** A page. */
class ChildrenPage implements Member {
  readonly bytes: number;
  readonly tag: string;
  /** Length of its text. */
  readonly textBytes: number;
  /** How many rows it has. */
  readonly count: number;
  readonly #before: DeflatedText;
  readonly #parts: readonly RowsPart[];
  readonly #after: DeflatedText;

  constructor(before: string, head: DeflatedText, { parts, count, textBytes }: PageParts) {
    this.#before = head;
    this.#parts = parts;
    this.#after = count === 0 ? END_OF_NONE : END;
    this.count = count;
    this.textBytes = this.#before.length + textBytes + this.#after.length;
    let [bytes, tags] = [MEMBER_FRAME_BYTES + this.#before.data.length + this.#after.data.length, before];
    for (const [i, part] of parts.entries()) {
      bytes += (i === 0 ? 0 : BETWEEN.data.length) + part.bytes;
      tags += ` ${part.tag}`;
    }
    this.bytes = bytes;
    this.tag = tagOf(tags);
  }

  get ownBytes(): number {
    return this.#before.data.length;
  }

  read(): Buffer {
    const body = Buffer.allocUnsafe(this.bytes);
    let [at, crc] = [MEMBER_HEADER.copy(body), 0];
    const add = (text: DeflatedText): void => {
      at += text.data.copy(body, at);
      crc = joinCrcs(crc, text.crc, text.length);
    };
    add(this.#before);
    for (const [i, part] of this.#parts.entries()) {
      if (i > 0) add(BETWEEN);
      add(part.deflated());
    }
    add(this.#after);
    writeMemberEnd(body, at, crc, this.textBytes);
    return body;
  }
}

/** The rows up to the one that ends behind so many bytes, and at least one: `next` leads on, whatever is before them. */
function* findingParts(page: PageRows | undefined, most: number): Steps<PageParts> {
  const parts: RowsPart[] = [];
  let [count, textBytes, inflated] = [0, 0, 0];
  if (page === undefined) return { parts, count, textBytes };
  const { rows, ranges } = page;
  for (let i = 0; i < ranges.length; i += 2) {
    const first = numberAt(ranges, i);
    let end = numberAt(ranges, i + 1);
    const least = count === 0 ? first + 1 : first;
    while (end > least && textBytes + rows.textBytes(first, end - 1) > most + SEPARATOR.length) end--;
    for (const part of rows.parts(first, end)) {
      parts.push(part);
      if (!part.isWhole && ++inflated % STEP_PARTS === 0) yield;
    }
    count += end - first;
    textBytes += rows.textBytes(first, end);
    if (end < numberAt(ranges, i + 1)) break;
  }
  return { parts, count, textBytes: Math.max(textBytes - SEPARATOR.length, 0) };
}
