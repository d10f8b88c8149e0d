// The properties of a level's units, with the types that follow from those of the source's columns: no value is looked
// at, so that a type does not change because values did.
import type { ColumnKind, LevelColumn } from '../../format/level-json.ts';
import type { ColumnType, LayerSource } from './level-source.ts';

/** The columns of a level whose layers are read in this order. */
export function levelColumns(layers: readonly Pick<LayerSource, 'columns'>[]): LevelColumn[] {
  const types = new Map<string, Set<ColumnType>>();
  for (const { name, type } of layers.flatMap(({ columns }) => columns)) {
    const known = types.get(name);
    if (known === undefined) types.set(name, new Set([type]));
    else known.add(type);
  }
  return [{ name: 'fid', type: 'int64' }, ...Array.from(types, ([name, own]) => ({ name, type: kindOf([...own]) }))];
}

/** What values of some types have in common. */
function kindOf(types: readonly ColumnType[]): ColumnKind {
  const isOf = (kind: ColumnKind): boolean => types.every((type) => TYPES_OF[kind].includes(type));
  return KINDS.find(isOf) ?? 'json';
}

/** The types in the source whose values are of a kind. No double holds all of `integer64`. */
const TYPES_OF: Readonly<Record<ColumnKind, readonly ColumnType[]>> = {
  boolean: ['boolean'],
  int64: ['integer', 'integer64'],
  double: ['integer', 'real'],
  date: ['date'],
  string: ['string', 'date', 'time', 'dateTime', 'binary'],
  json: [],
};
/** The narrowest first. */
const KINDS: readonly ColumnKind[] = ['boolean', 'int64', 'double', 'date', 'string'];
