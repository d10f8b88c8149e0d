// The rules by which a text is a unit: the first one that finds something decides. A wrong code is worse than none.
import { NAMES_TEXT_MAX_CHARS } from '../../../format/names.ts';
import { type Edits, isCompared, type NearestUnits } from './edits.ts';
import type { FormerUnits } from './former-units.ts';
import { foldedForms, plainText, TEXT_MAX_CHARS, typedForms } from './forms.ts';
import type { Scope } from './scopes.ts';

/** The rules, the surest first. */
export const RULES = ['code', 'exact', 'folded', 'type word', 'one edit', 'two edits', 'former', 'successor'] as const;

export type Rule = (typeof RULES)[number];

/** What a text is among the units of a scope. */
export interface Decision {
  /** Undefined if nothing was found. */
  rule: Rule | undefined;
  /** The units, ascending: of several with one GID the first. */
  units: readonly number[];
  /** Was it a code without the zeros at its beginning? */
  isRestored: boolean;
  /** Would edits have been the next rule, and were not tried, as there are too many units? */
  isUntried: boolean;
}

/** What the rules may use. */
export interface RuleSettings {
  /** The most edits that are tried. */
  edits: Edits;
  former: FormerUnits | undefined;
}

/** Decides what a text is in a scope. */
export function decide(scope: Scope, text: string, { edits, former }: RuleSettings): Decision {
  // No name is as long.
  if (text.length > NAMES_TEXT_MAX_CHARS) return decided(scope, undefined, []);
  const plain = plainText(text);
  const byCode = codesIn(plain, scope);
  if (byCode.units.length > 0) return { ...decided(scope, 'code', byCode.units), isRestored: byCode.isRestored };
  const exact = exactIn(plain, scope);
  if (exact.length > 0) return decided(scope, 'exact', exact);
  const folded = foldedForms(plain);
  const byForm = foldedIn(folded, scope);
  if (byForm.length > 0) return decided(scope, 'folded', byForm);
  const typed = plain.length > TEXT_MAX_CHARS ? [] : typedForms(folded, scope.typeWords);
  const byType = typedIn(typed, scope);
  if (byType.length > 0) return decided(scope, 'type word', byType);
  const near = typed.length === 0 ? undefined : editedIn([...new Set([...folded, ...typed])], scope, edits);
  if (near !== undefined && near.units.length > 0)
    return decided(scope, near.edits === 1 ? 'one edit' : 'two edits', near.units);
  const old = former?.of(plain, scope);
  const isUntried = edits > 0 && near === undefined && old === undefined && typed.some(isCompared);
  return { ...decided(scope, old?.rule, old?.units ?? []), isUntried };
}

/** The units that a text is by the rules that need no edits and no former names: what a wrong parent hides. */
export function decideSurely(scope: Scope, text: string): readonly number[] {
  const { rule, units } = decide(scope, text, { edits: 0, former: undefined });
  return rule === 'type word' ? [] : units;
}

/** Rule 1: a GID or a code, as it is or in capitals, also without the zeros that a spreadsheet has eaten. */
function codesIn(text: string, scope: Scope): { units: number[]; isRestored: boolean } {
  const asIs = unitsWithCode(text, scope);
  const capitals = text.toUpperCase();
  const units = asIs.length > 0 || capitals === text ? asIs : unitsWithCode(capitals, scope);
  if (units.length > 0 || !/^\d+$/.test(text)) return { units, isRestored: false };
  for (const [column, length] of scope.names.digits.entries()) {
    if (length === undefined || text.length >= length) continue;
    const restored = unitsWithCode(text.padStart(length, '0'), scope, column);
    if (restored.length > 0) return { units: restored, isRestored: true };
  }
  return { units: [], isRestored: false };
}

/** @param column of GIDs 0, then of codes by their keys; undefined for all */
function unitsWithCode(code: string, scope: Scope, column?: number): number[] {
  return scope.find(code).filter((unit) => {
    const { gid, codes } = scope.names.unitAt(unit);
    if (column === undefined) return gid === code || codes.includes(code);
    return (column === 0 ? gid : codes[column - 1]) === code;
  });
}

/** Rule 2: a name as it is written, in any language. */
function exactIn(text: string, scope: Scope): number[] {
  return scope
    .find(text)
    .filter((unit) => scope.names.unitAt(unit).names.some((name) => name === text || plainText(name) === text));
}

/** Rule 3: a form of a name, without regard to case, marks and punctuation. */
function foldedIn(folded: readonly string[], scope: Scope): number[] {
  return unitsWithForm(folded, scope, (name) => foldedForms(name));
}

/** Rule 4: likewise without type words, words written out, in any order, or as one. */
function typedIn(typed: readonly string[], scope: Scope): number[] {
  return unitsWithForm(typed, scope, (name, unit) => typedForms(foldedForms(name), scope.typeWordsOf(unit)));
}

function unitsWithForm(
  forms: readonly string[],
  scope: Scope,
  formsOf: (name: string, unit: number) => readonly string[],
): number[] {
  const found = new Set<number>();
  for (const form of forms)
    for (const unit of scope.find(form))
      if (!found.has(unit) && scope.names.unitAt(unit).names.some((name) => formsOf(name, unit).includes(form)))
        found.add(unit);
  return [...found];
}

/**
 * Rule 5: few edits away from a form, below a unit that is given, or at the highest level: elsewhere too much is near.
 * @returns undefined if it is not tried
 */
function editedIn(forms: readonly string[], scope: Scope, most: Edits): NearestUnits | undefined {
  if (most === 0 || !scope.isNarrow) return undefined;
  const all = scope.editForms();
  return all && (all.nearest(forms, most) ?? { edits: 0, units: [] });
}

function decided({ names }: Scope, rule: Rule | undefined, units: readonly number[]): Decision {
  const byGid = new Map<string | number, number>();
  for (const unit of units) byGid.set(names.unitAt(unit).gid ?? unit, names.firstOf(unit));
  return { rule, units: [...byGid.values()].sort((a, b) => a - b), isRestored: false, isUntried: false };
}
