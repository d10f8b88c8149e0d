// What is answered of units, their parents and their children: from the names files of a release and the GIDs of its
// features, unit by unit.
import { join } from 'node:path';
import { elementAt } from '../../../../format/element-at.ts';
import { releasePath } from '../../../../format/layout.ts';
import { LEVELS, type Level, levelName } from '../../../../format/levels.ts';
import { readStored } from '../../../support/datasets/large-dataset.ts';
import { readNames } from '../../../support/releases/read-index.ts';

/** What is answered of a child. */
export interface Row {
  gid: string | null;
  name: string | null;
  type: string | null;
  [member: string]: unknown;
}

/** The units of a level: their rows as an answer has them, and their GIDs of the levels from 0 to theirs. */
export interface ModelLevel {
  rows: readonly Row[];
  gids: readonly (readonly string[])[];
}

/** The units of a release, from its names files and its features, with names in a language where there are some. */
export function modelOf(folder: string, lang = ''): ModelLevel[] {
  const stored = readStored(folder, 'r1');
  return LEVELS.map((level) => {
    const [columns = [], ...lines] = readNames(join(folder, releasePath('r1')), level);
    const rows = lines.map((values) => {
      const pairs = columns.map((column, i): [string, unknown] => [String(column), values[i]]);
      const own = Object.fromEntries(pairs);
      const { gid, type, fid, children, area, view } = own;
      const inside = own['inside'] as [number, ...unknown[]][];
      const named = inside.map(([number, ...rest]) => [`lv${number}`, ...rest]);
      const codes = pairs.flatMap(([column, code]) => (/^code:/.test(column) && code ? [[column.slice(5), code]] : []));
      const some = codes.length > 0 && { codes: Object.fromEntries(codes) };
      const name = own[`name:${lang}`] ?? own['name'];
      return { gid, name, type, fid, children, inside: named, area, view, ...some } as Row;
    });
    const gids = (stored[level]?.units ?? []).map((unit) => unit.gids.map((gid) => (gid === 'null' ? '' : gid)));
    return { rows, gids };
  });
}

/** What is answered for a unit, as the contract says it. */
export function familyOf(model: readonly ModelLevel[], gid: string, asked?: Level): object | undefined {
  const levels = asked === undefined ? LEVELS : [asked];
  const childrenOn = (own: Level) => {
    const found = LEVELS.filter((level) => level > own).find((level) =>
      model[level]?.gids.some((of) => of[own] === gid),
    );
    return found === undefined ? undefined : { level: found, rows: rowsWith(elementAt(model, found), own, gid) };
  };
  const hasUnit = (level: Level) => model[level]?.gids.some((of) => of[level] === gid) === true;
  const own = levels.find((level) => childrenOn(level)) ?? levels.find(hasUnit);
  if (own === undefined) return undefined;
  const children = childrenOn(own);
  const on = hasUnit(own) ? own : (children?.level ?? own);
  const first = model[on]?.gids.find((of) => of[own] === gid) ?? [];
  const parents = first
    .slice(0, own)
    .flatMap((parent, level) => (parent === '' ? [] : [shownOf(model, parent, level)]));
  const level = children === undefined ? null : levelName(children.level);
  return { unit: unitOf(model, gid, own), parents, level, children: children?.rows ?? [] };
}

function rowsWith({ rows, gids }: ModelLevel, column: Level, gid: string): Row[] {
  return rows.filter((_, i) => gids[i]?.[column] === gid);
}

/** The first unit with a GID. */
function firstOf(model: readonly ModelLevel[], gid: string, level: number): Row | undefined {
  const { rows, gids } = elementAt(model, level);
  return rows[gids.findIndex((of) => of[level] === gid)];
}

/** A unit: as a child, with its level. */
function unitOf(model: readonly ModelLevel[], gid: string, level: number): object {
  const none = { name: null, type: null, fid: null, children: null, inside: null, area: null, view: null };
  return { ...(firstOf(model, gid, level) ?? none), gid, level: `lv${level}` };
}

/** A parent. */
function shownOf(model: readonly ModelLevel[], gid: string, level: number): object {
  const { name = null, type = null } = firstOf(model, gid, level) ?? {};
  return { gid, name, type, level: `lv${level}` };
}
