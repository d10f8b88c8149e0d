// Whether features with the same GID are pieces of one unit: they have the same name, or, where no column of names is
// known, the same text in any other column.
import type { LayerSource } from './level-source.ts';

/**
 * The fields by which the units of a layer are told apart: that of their names, or else, where there is none or it is a
 * part of the GID, all that hold no GIDs.
 */
export function tellingFields(layer: LayerSource): readonly number[] {
  const named = nameFields(layer);
  if (named.length > 0) return named;
  const ofGids = new Set(layer.gids.flat());
  return layer.columns.flatMap(({ fields }) => fields).filter((field) => !ofGids.has(field));
}

/** The field of the names; none if it is a part of a GID. */
export function nameFields({ columns, nameColumn, gids }: LayerSource): readonly number[] {
  const fields = columns.find(({ name }) => name === nameColumn)?.fields ?? [];
  return fields.filter((field) => !gids.flat().includes(field));
}

/** The texts of a feature in some fields; null for what is no text, or empty. */
export function textsIn(values: readonly unknown[], fields: readonly number[]): (string | null)[] {
  return fields.map((field) => {
    const value = values[field];
    return typeof value === 'string' && value.trim() !== '' ? value.trim() : null;
  });
}

/** What two features are that are no pieces of one unit: both have texts, and all differ; undefined if they may be. */
export function differentUnits(
  one: readonly (string | null)[],
  other: readonly (string | null)[],
): [one: string, other: string] | undefined {
  let first: [string, string] | undefined;
  for (const [at, text] of one.entries()) {
    const beside = other[at] ?? null;
    if (text === null || beside === null) continue;
    if (text === beside) return undefined;
    first ??= [text, beside];
  }
  return first;
}
