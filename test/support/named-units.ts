// Names files of units that a test makes up, for the rules by which `match` finds them.
import type { Level } from '../../format/levels.ts';
import { NAME_FIELDS } from '../../format/names.ts';
import { Chains } from '../../proxy/match/rules/chains.ts';
import type { Edits } from '../../proxy/match/rules/edits.ts';
import { type Change, FormerUnits } from '../../proxy/match/rules/former-units.ts';
import { type LevelNames, LevelsReader } from '../../proxy/match/rules/level-names.ts';
import { Scopes } from '../../proxy/match/rules/scopes.ts';

/** A unit that is made up. */
export interface MadeUnit {
  gid: string | null;
  name: string | null;
  parent?: string | null;
  parents?: (string | null)[] | null;
  others?: string[];
  /** Its codes and its names in languages, by their columns. */
  further?: Readonly<Record<string, string | null>>;
}

/** The levels of units, the highest first. */
export function namedLevels(levels: Readonly<Record<number, readonly MadeUnit[]>>): LevelNames[] {
  const texts = Object.entries(levels).map(([level, units]) => {
    const further = Object.keys(units[0]?.further ?? {}).sort();
    const lines = units.map(({ gid, name, parent = null, parents = null, others = [], further: own = {} }, i) => [
      ...[i + 1, gid, name, null, parent, 0, null, [], parents, null, others],
      ...further.map((column) => own[column] ?? null),
    ]);
    const text = [[...NAME_FIELDS, ...further], ...lines].map((line) => `${JSON.stringify(line)}\n`).join('');
    return { level: levelOf(level), text: Buffer.from(text), file: `lv${level}` };
  });
  const reader = new LevelsReader();
  return texts.map((text) => reader.read(text));
}

function levelOf(text: string): Level {
  const level = ([0, 1, 2, 3, 4, 5] as const).find((known) => String(known) === text);
  if (level === undefined) throw new RangeError(`no level ${text}`);
  return level;
}

/** How rows with columns of some levels are decided: the GID of the unit, and how it was found or why not. */
export function matching(
  names: readonly LevelNames[],
  columns: readonly Level[],
  { edits = 1, changes }: { edits?: Edits; changes?: readonly Change[] } = {},
) {
  const scopes = new Scopes(names);
  const former = changes && new FormerUnits(names, changes);
  const chains = new Chains(scopes, columns, { edits, former });
  return (...texts: string[]): { gid: string | null; match: string; at?: number; candidates?: readonly string[] } => {
    const { match, unit, at, candidates } = chains.match(texts);
    const gid = unit === undefined ? null : scopes.namesOf(unit.level).unitAt(unit.position).gid;
    return { gid, match, ...(at !== undefined && { at }), ...(candidates.length > 0 && { candidates }) };
  };
}
