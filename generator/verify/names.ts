// Derives the names of a level anew from its index and its features, and compares the file with them.
import { namesPath, RELEASE_FILE } from '../../format/layout.ts';
import type { LevelIndex } from '../../format/level-index.ts';
import type { Level } from '../../format/levels.ts';
import { type NamedUnit, namesHeader, namesLine } from '../../format/names.ts';
import type { WholeFile } from '../../format/release.ts';
import { newNamedUnit, relativesOf } from '../names/named-units.ts';
import { inflateMember } from '../reader/inflate.ts';
import type { Label, Unit } from './features.ts';
import { firstDifferentLine } from './findings.ts';
import { type Metadata, readTrusted } from './metadata.ts';

/** The units of a level as names and overview must have them. */
export interface NamedUnits {
  level: Level;
  count: number;
  /** @param label what the file says: name and type of a damaged feature are not known otherwise */
  unitAt(position: number, label: Label): NamedUnit;
  /** What an intact feature says. */
  featureAt(position: number): Unit | undefined;
}

/**
 * The units of a level.
 * @param levels undefined for a damaged one
 * @param units what the features of the level say
 * @returns undefined if an index is damaged: which level is next above or below depends on all between
 */
export function namedUnits(
  level: Level,
  levels: readonly (LevelIndex | undefined)[],
  units: readonly (Unit | undefined)[],
): NamedUnits | undefined {
  const known = levels.filter((index) => index !== undefined);
  const index = levels[level];
  if (index === undefined || known.length < levels.length) return undefined;
  const { parent, below } = relativesOf(
    level,
    known.map((store) => ({ level: store.level, features: store.features, store })),
  );
  const unitAt = newNamedUnit(level, index, parent, below);
  return {
    level,
    count: index.features,
    featureAt: (position) => units[position],
    unitAt: (position, label) => unitAt(position, index.fidAt(position), units[position] ?? label),
  };
}

/** Verifies the file of a level. @param units undefined if an index is damaged: only checksums are compared */
export function verifyNames(level: Level, units: NamedUnits | undefined, metadata: Metadata): void {
  const path = namesPath(level);
  const text = readWholeFile(path, metadata.description?.levels[level]?.names, metadata)?.toString();
  if (text === undefined || units === undefined) return;
  const lines = text.split('\n');
  const expected = Array.from({ length: units.count }, (_, position) =>
    namesLine(units.unitAt(position, labelIn(lines[position + 1]))),
  );
  const problem = firstDifferentLine(text, namesHeader() + expected.join(''));
  if (problem !== undefined) metadata.found(path, problem);
}

function labelIn(line = ''): Label {
  try {
    const [, , name, type] = JSON.parse(line);
    return { name: textOrNull(name), type: textOrNull(type) };
  } catch {
    return { name: null, type: null };
  }
}

/** What a file has as a name or type; null for anything else. */
export function textOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

/**
 * Reads a file that is served whole, names or the overview. Its problems are reported.
 * @param expected what release.json says of it; undefined if release.json is damaged
 * @returns its text; undefined if it is damaged
 */
export function readWholeFile(path: string, expected: WholeFile | undefined, metadata: Metadata): Buffer | undefined {
  const read = readTrusted(path, expected, metadata);
  if (!read?.isTrusted) return undefined;
  return metadata.attempt(path, () => {
    const text = inflateMember(read.bytes);
    if (expected !== undefined && expected.textBytes !== text.length)
      metadata.found(RELEASE_FILE, `has ${expected.textBytes} bytes of text for ${path}, which has ${text.length}`);
    return text;
  });
}
