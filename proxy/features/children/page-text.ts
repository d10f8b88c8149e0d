// The text of a page: a unit, its parents and a row for each child, joined from texts that are JSON already. Texts have a
// character for each byte, so that they are joined without encoding them again.
import { createHash } from 'node:crypto';
import { numberAt } from '../../../format/element-at.ts';
import { levelName } from '../../../format/levels.ts';
import type { Positions } from '../../../format/positions.ts';
import type { Steps } from '../../../format/steps.ts';
import { TAG_CHARS } from '../../bodies/answer.ts';
import { Known } from '../../data/known.ts';
import type { LoadedLevel, Part } from '../../data/loaded-release.ts';
import type { LevelCodes } from '../names/level-codes.ts';
import type { UnitNames } from '../names/level-names.ts';
import { toByteJson } from '../names/level-texts.ts';
import type { LevelTree } from '../names/level-tree.ts';
import type { Place } from './find-children.ts';

/** A page ends behind so many bytes of text: names may be long. */
const PAGE_BYTES = 2 * 1024 * 1024;
/** Bytes of text that are joined in a step: some hundred microseconds. */
const STEP_BYTES = 256 * 1024;
/** So many units at most are decoded together: their names may be long. */
const DECODED = 64;

/** What the units of a level are called and what they are. */
export interface KnownLevel {
  names: UnitNames;
  tree: LevelTree;
  /** Undefined if its units have none, or their codes are not shown. */
  codes: LevelCodes | undefined;
}

/** The children of a page. */
export interface PageRows {
  of: LoadedLevel;
  known: KnownLevel;
  positions: Positions;
  /** The rank of the first one. */
  first: number;
  /** How many there are at most. */
  size: number;
}

export interface PageText {
  text: Buffer;
  /** Of its SHA-256: entity tag without quotes. */
  tag: string;
  /** The rank behind the last child of the page. */
  end: number;
}

/** Size of the pages of a level that are remembered: who asks for a page again, or by HEAD, waits for none to be joined. */
const PAGES_MAX_BYTES = 1024 * 1024;

/** The pages of a level that were asked for lately. */
export class LevelPages {
  readonly known = new Known<PageText>(PAGES_MAX_BYTES, ({ text }) => text.length);

  get bytes(): number {
    return this.known.bytes;
  }
}

/** They are remembered from the first answer with children of the level on. */
export const PAGES: Part<LevelPages> = {
  name: 'pages of children',
  type: LevelPages,
  load: async () => new LevelPages(),
};

/** Joins a page. @param head the text up to the children */
export function* joiningPage(head: string, rows: PageRows | undefined): Steps<PageText> {
  const sha256 = createHash('sha256');
  const parts: Buffer[] = [];
  let [text, bytes] = [head, 0];
  let end = rows?.first ?? 0;
  const write = (): void => {
    const part = Buffer.from(text, 'latin1');
    sha256.update(part);
    parts.push(part);
    bytes += part.length;
    text = '';
  };
  if (rows !== undefined)
    for (const row of rowsOf(rows)) {
      if (bytes + text.length > PAGE_BYTES) break;
      if (text.length > STEP_BYTES) {
        write();
        yield;
      }
      text += end === rows.first ? row : `,\n${row}`;
      end++;
    }
  text += end === (rows?.first ?? 0) ? ']}\n' : '\n]}\n';
  write();
  const tag = sha256.digest('base64url').slice(0, TAG_CHARS);
  return { text: Buffer.concat(parts), tag, end };
}

/** The rows, some of them decoded together. */
function* rowsOf({ of, known: { names, tree, codes }, positions, first, size }: PageRows): Generator<string> {
  for (let done = 0; done < size; done += DECODED) {
    const ranges = positions.slice(first + done, Math.min(DECODED, size - done));
    for (let i = 0; i < ranges.length; i += 2) {
      const [begin, end] = [numberAt(ranges, i), numberAt(ranges, i + 1)];
      const [nameAt, membersAt] = [names.bytesIn(begin, end), tree.membersIn(begin, end)];
      for (let position = begin; position < end; position++) {
        const own = codes?.bytesAt(position) ?? '';
        const more = own === '' ? '' : `,"codes":${own}`;
        const called = `{"gid":${names.gids.bytesAt(position)},"name":${nameAt(position)},"type":${tree.typeAt(position)}`;
        yield `${called},"fid":${of.index.fidAt(position)},${membersAt(position)}${more}}`;
      }
    }
  }
}

/** A unit or a parent as the answer has it. @param known its level; undefined if it is of no unit */
export function placeText({ gid, level, unit }: Place, known: KnownLevel | undefined): string {
  const isKnown = unit !== undefined && known !== undefined;
  const name = isKnown ? known.names.bytesIn(unit.position, unit.position + 1)(unit.position) : 'null';
  const type = isKnown ? known.tree.typeAt(unit.position) : 'null';
  return `{"gid":${toByteJson(gid)},"name":${name},"type":${type},"level":"${levelName(level)}"}`;
}
