// Decides rows: their texts are looked for from the country down, each below the unit that was found so far.
import { elementAt } from '../../../format/element-at.ts';
import type { Level } from '../../../format/levels.ts';
import { ownText } from '../../../format/own-text.ts';
import { type Decision, decide, decideSurely, RULES, type Rule, type RuleSettings } from './rules.ts';
import type { Scope, Scopes, UnitPlace } from './scopes.ts';

/** Candidates that are named. */
const CANDIDATES_MAX = 5;
/** Decisions that are kept, of scopes that are: tables say the same again and again. */
const KEPT_MAX = 5000;
const KEPT_TEXT_MAX_CHARS = 100;
/** So many units of one name are followed further down at most. */
const FOLLOWED_MAX = 100;

/** What became of a row. `empty`: it has no text. */
export type Match = Rule | 'ambiguous' | 'none' | 'empty';

/** What a row is. */
export interface MatchedRow {
  /** Of several columns the least sure rule. */
  match: Match;
  /** The unit, or the one that was found before nothing, or several, were found. */
  unit: UnitPlace | undefined;
  /** The number of the column that gave no unit; undefined if all did. */
  at: number | undefined;
  /** Units that it may be, by their GIDs. */
  candidates: readonly string[];
  isRestored: boolean;
  isUntried: boolean;
}

/** Decides rows of a table. */
export class Chains {
  readonly #scopes: Scopes;
  readonly #levels: readonly Level[];
  readonly #settings: RuleSettings;
  #kept = new WeakMap<Scope, Map<string, Decision>>();
  #keptCount = 0;

  /** @param levels of the columns, ascending */
  constructor(scopes: Scopes, levels: readonly Level[], settings: RuleSettings) {
    this.#scopes = scopes;
    this.#levels = levels;
    this.#settings = settings;
  }

  /** @param texts of the columns; an empty one is not given */
  match(texts: readonly string[]): MatchedRow {
    const row: MatchedRow = {
      match: 'empty',
      unit: undefined,
      at: undefined,
      candidates: [],
      isRestored: false,
      isUntried: false,
    };
    /** Several units of the column before. */
    let several: { at: number; level: Level; units: readonly number[] } | undefined;
    let leastSure = -1;
    for (const [at, text] of texts.entries()) {
      if (text.trim() === '') continue;
      const level = elementAt(this.#levels, at);
      if (several !== undefined) {
        const [only, ...others] = this.#followed(several, level, text);
        if (only === undefined || others.length > 0) break;
        row.unit = only;
        several = undefined;
      }
      const { rule, units, isRestored, isUntried } = this.#decide(level, row.unit, text);
      row.isRestored ||= isRestored;
      row.isUntried ||= isUntried;
      if (rule === undefined) return { ...row, match: 'none', at, candidates: this.#elsewhere(level, row.unit, text) };
      leastSure = Math.max(leastSure, RULES.indexOf(rule));
      const [position = 0] = units;
      if (units.length === 1) row.unit = { level, position };
      else several = { at, level, units };
    }
    if (several !== undefined)
      return { ...row, match: 'ambiguous', at: several.at, candidates: this.#gidsOf(several.level, several.units) };
    return { ...row, match: RULES[leastSure] ?? 'empty' };
  }

  /** Those of several units below which a text is found. */
  #followed({ level, units }: { level: Level; units: readonly number[] }, below: Level, text: string): UnitPlace[] {
    if (units.length > FOLLOWED_MAX) return [];
    const places = units.map((position) => ({ level, position }));
    return places.filter((place) => this.#decide(below, place, text).rule !== undefined);
  }

  #decide(level: Level, above: UnitPlace | undefined, text: string): Decision {
    const scope = this.#scopes.scopeOf(level, above);
    if (scope.isFew || text.length > KEPT_TEXT_MAX_CHARS) return decide(scope, text, this.#settings);
    const same = this.#kept.get(scope)?.get(text);
    if (same !== undefined) return same;
    const decision = decide(scope, text, this.#settings);
    // One exact unit is found again as fast as it would be kept, and what is kept is freed late.
    const { rule, units } = decision;
    if ((rule === 'code' || rule === 'exact') && units.length === 1) return decision;
    if (this.#keptCount++ >= KEPT_MAX) {
      this.#kept = new WeakMap();
      this.#keptCount = 1;
    }
    const kept = this.#kept.get(scope) ?? new Map<string, Decision>();
    // Hundreds of thousands of units may have one name; so many more than are followed are as good as all.
    const known = { ...decision, units: units.slice(0, FOLLOWED_MAX + 1) };
    this.#kept.set(scope, kept.set(ownText(text), known));
    return known;
  }

  /** The units of the whole country that a text would be: a wrong parent is shown, never corrected. */
  #elsewhere(level: Level, above: UnitPlace | undefined, text: string): string[] {
    if (above === undefined) return [];
    const scope = this.#scopes.scopeOf(level, this.#scopes.countryOf(above));
    return this.#gidsOf(level, decideSurely(scope, text));
  }

  #gidsOf(level: Level, units: readonly number[]): string[] {
    const names = this.#scopes.namesOf(level);
    return units.slice(0, CANDIDATES_MAX).flatMap((unit) => names.unitAt(unit).gid ?? []);
  }
}
