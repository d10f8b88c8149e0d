// Parses JSON: each member is checked once, by name, and typed from then on.

/** A file of a release has unexpected content. The message names the file, what was found and what was expected. */
export class FormatError extends Error {
  constructor(where: string, problem: string) {
    super(`${where}: ${problem}`);
    this.name = 'FormatError';
  }
}

/** A JSON object with unchecked members. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** `value` as an object; text is parsed first. @throws FormatError if it is not a JSON object */
export function objectFrom(value: unknown, where: string): JsonObject {
  let parsed = value;
  if (typeof value === 'string') {
    try {
      parsed = JSON.parse(value);
    } catch {
      throw new FormatError(where, 'is not JSON');
    }
  }
  if (!isObject(parsed)) throw new FormatError(where, 'is not a JSON object');
  return parsed;
}

/** The member as a whole number >= 0. */
export function numberIn(json: JsonObject, member: string, where: string): number {
  const value = json[member];
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0) {
    throw new FormatError(where, `${member} is ${JSON.stringify(value)}, expected a whole number`);
  }
  return value;
}

/** The member as text. */
export function textIn(json: JsonObject, member: string, where: string): string {
  const value = json[member];
  if (typeof value !== 'string') throw new FormatError(where, `${member} is ${JSON.stringify(value)}, expected text`);
  return value;
}

/** The member as true or false. */
export function booleanIn(json: JsonObject, member: string, where: string): boolean {
  const value = json[member];
  if (typeof value !== 'boolean')
    throw new FormatError(where, `${member} is ${JSON.stringify(value)}, expected true or false`);
  return value;
}

/** The member as a list of anything. */
export function listIn(json: JsonObject, member: string, where: string): readonly unknown[] {
  const value = json[member];
  if (!Array.isArray(value)) throw new FormatError(where, `${member} is not a list`);
  return value;
}

/** The member as a list of texts. */
export function textsIn(json: JsonObject, member: string, where: string): string[] {
  const list = listIn(json, member, where);
  const at = list.findIndex((value) => typeof value !== 'string');
  if (at !== -1) throw new FormatError(where, `${member}[${at}] is ${JSON.stringify(list[at])}, expected text`);
  return list as string[];
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
