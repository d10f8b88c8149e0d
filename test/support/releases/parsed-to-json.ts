// Values of features as they stand in their text, for the oracles.

/** A parsed value as JSON text, a bigint as its digits. */
export function parsedToJson(value: unknown): string | undefined {
  if (typeof value === 'bigint') return String(value);
  return JSON.stringify(value, (_, member: unknown) => (typeof member === 'bigint' ? String(member) : member));
}
