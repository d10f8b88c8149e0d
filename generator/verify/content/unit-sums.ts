// What the features say of names and shapes, in a few bytes a unit: the tasks that verify feature files return it, and names
// and overview are compared with it.
import { crc32 } from 'node:zlib';
import { elementAt, numberAt } from '../../../format/element-at.ts';
import type { Level } from '../../../format/levels.ts';
import { OVERVIEW_LEVELS } from '../../../format/overview.ts';
import { type JsonFeature, parsedToJson } from '../../reader/parse-feature.ts';
import { mayHaveShape, mustHaveShape } from './shape.ts';

/** The columns of names and types; undefined if release.json is damaged. */
export type NameColumns = { nameColumn: string; typeColumn: string } | undefined;

/** What is known of a unit. */
export interface UnitSum {
  /** CRC-32 of its name and type. */
  names: number;
  /** Whether the overview must, may or must not have its shape; `may` for units of little area. */
  shape: 'must' | 'may' | 'no';
}

const SHAPES = ['must', 'may', 'no'] as const;

/** Flat list of position, sum of names and number of shape for each unit. Plain data: child processes return it. */
export type UnitSums = number[];

/** Adds a unit. */
export function addUnitSum(
  sums: UnitSums,
  position: number,
  { properties, geometry }: JsonFeature,
  { level, columns }: { level: Level; columns: NonNullable<NameColumns> },
): void {
  const name = textOf(properties[columns.nameColumn]);
  const type = textOf(properties[columns.typeColumn]);
  const shape = !OVERVIEW_LEVELS.includes(level) || mayHaveShape(geometry) ? 'may' : 'no';
  const isClear = shape === 'may' && OVERVIEW_LEVELS.includes(level) && mustHaveShape(geometry);
  sums.push(position, namesSum(name, type), SHAPES.indexOf(isClear ? 'must' : shape));
}

/** The sums by position. @param count number of units in the level */
export function sumsByPosition(lists: readonly UnitSums[], count: number): (position: number) => UnitSum | undefined {
  const names = new Float64Array(count).fill(-1);
  const shapes = new Uint8Array(count);
  for (const list of lists)
    for (let i = 0; i < list.length; i += 3) {
      const position = numberAt(list, i);
      names[position] = numberAt(list, i + 1);
      shapes[position] = numberAt(list, i + 2);
    }
  return (position) => {
    const sum = elementAt(names, position);
    return sum === -1 ? undefined : { names: sum, shape: elementAt(SHAPES, elementAt(shapes, position)) };
  };
}

/** The CRC-32 of a name and a type. */
export function namesSum(name: string | null, type: string | null): number {
  return crc32(JSON.stringify([name, type]));
}

/** A property as the text of a name; null if it is empty. */
function textOf(value: unknown): string | null {
  if (value === null || value === undefined || value === '') return null;
  return typeof value === 'string' ? value : (parsedToJson(value) ?? null);
}
