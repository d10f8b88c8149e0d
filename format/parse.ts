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

/**
 * The member as a whole number >= 0.
 * @param max the greatest one that is possible
 */
export function numberIn(json: JsonObject, member: string, where: string, max = Number.MAX_SAFE_INTEGER): number {
  const value = json[member];
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0)
    throw new FormatError(where, `${member} is ${quoted(value)}, expected a whole number`);
  if (value > max) throw new FormatError(where, `${member} is ${value}, expected 0 to ${max}`);
  return value;
}

/** The member as text. */
export function textIn(json: JsonObject, member: string, where: string): string {
  const value = json[member];
  if (typeof value !== 'string') throw new FormatError(where, `${member} is ${quoted(value)}, expected text`);
  return value;
}

/** The member as true or false. */
export function booleanIn(json: JsonObject, member: string, where: string): boolean {
  const value = json[member];
  if (typeof value !== 'boolean') throw new FormatError(where, `${member} is ${quoted(value)}, expected true or false`);
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
  if (at !== -1) throw new FormatError(where, `${member}[${at}] is ${quoted(list[at])}, expected text`);
  return list as string[];
}

/** The member as a list of texts that answers show, many times: some kilobytes of each, and not many times as much. */
export function shownTextsIn(json: JsonObject, member: string, where: string): string[] {
  const texts = textsIn(json, member, where);
  const problem = problemOfShown(texts);
  if (problem !== undefined) throw new FormatError(where, `${member} ${problem}`);
  return texts;
}

/** The member as such a text. */
export function shownTextIn(json: JsonObject, member: string, where: string): string {
  const text = textIn(json, member, where);
  const problem = problemOfShown([text]);
  if (problem !== undefined) throw new FormatError(where, `${member} ${problem}`);
  return text;
}

/** Characters of a text that is shown, and of all in a list. */
const SHOWN_MAX_CHARS = 10_000;
const ALL_SHOWN_MAX_CHARS = 65_536;

/** What is wrong with texts that are to be shown; undefined if nothing is. */
export function problemOfShown(texts: readonly string[]): string | undefined {
  const long = texts.find(({ length }) => length > SHOWN_MAX_CHARS);
  if (long !== undefined) return `has a text of ${long.length} characters, at most ${SHOWN_MAX_CHARS} are possible`;
  const all = texts.reduce((sum, { length }) => sum + length, 0);
  return all > ALL_SHOWN_MAX_CHARS ? `has ${all} characters, at most ${ALL_SHOWN_MAX_CHARS} are possible` : undefined;
}

const QUOTED_MAX_CHARS = 100;

/** A value as JSON, cut for a message. */
function quoted(value: unknown): string {
  const json = String(JSON.stringify(value));
  return json.length > QUOTED_MAX_CHARS ? `${json.slice(0, QUOTED_MAX_CHARS)}...` : json;
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
