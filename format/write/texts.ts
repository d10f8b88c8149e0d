// Writes what a release has as text: release.json, current.json, the lines of names and of gone.bin.
import type { GoneUnit } from '../changes.ts';
import type { Current } from '../current-json.ts';
import { NAME_FIELDS, type NamedUnit, textInNames } from '../names.ts';
import type { Release } from '../release-json.ts';
import { FORMAT_VERSION } from '../version.ts';

/** Serialises release.json. */
export function releaseToJson(release: Release): string {
  return `${JSON.stringify({ version: FORMAT_VERSION, ...release }, null, 2)}\n`;
}

/** Serialises current.json. */
export function currentToJson(current: Current): string {
  const digests = Object.fromEntries(current.digests);
  return `${JSON.stringify({ version: FORMAT_VERSION, ...current, digests }, null, 2)}\n`;
}

/** The header line, with its line feed. @param codes,languages the keys and tags of the level, both sorted */
export function namesHeader(codes: readonly string[] = [], languages: readonly string[] = []): string {
  const tagged = [...codes.map((key) => `code:${key}`), ...languages.map((tag) => `name:${tag}`)];
  return `${JSON.stringify([...NAME_FIELDS, ...tagged])}\n`;
}

/** A unit's line, with its line feed. */
export function namesLine(unit: NamedUnit): string {
  const values = [...NAME_FIELDS.map((field) => unit[field]), ...unit.codes, ...unit.languages];
  return `${JSON.stringify(values, (_, value) => (typeof value === 'string' ? textInNames(value) : value))}\n`;
}

/** The text of gone.bin: JSON Lines, of each unit its level, its GID and its successors. */
export function goneToText(units: readonly GoneUnit[]): string {
  return units.map(({ level, gid, successors }) => `${JSON.stringify([level, gid, ...successors])}\n`).join('');
}
