// JSON as the tests read it: whole numbers are exact, however long. None of the program's own code.

/** So many digits may be a whole number that a double cannot hold. */
const LONG = /\d{16}/;
const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g;
const WHOLE_NUMBER = /^-?\d+$/;

/**
 * Parses a text as `JSON.parse` does, but that a whole number beyond 2^53 is a bigint.
 * @throws SyntaxError if the text is not JSON
 */
function exactJson(text: string): unknown {
  const rounded: unknown = JSON.parse(text);
  if (!LONG.test(text)) return rounded;
  const tokens = text.match(TOKEN) ?? [];
  let next = 0;
  const value = (): unknown => {
    const token = tokens[next++] ?? '';
    if (token === '[') return membersUntil(']', value);
    if (token === '{') return Object.fromEntries(membersUntil('}', member));
    return WHOLE_NUMBER.test(token) && !Number.isSafeInteger(Number(token)) ? BigInt(token) : JSON.parse(token);
  };
  const member = (): [string, unknown] => {
    const name: string = JSON.parse(tokens[next] ?? '');
    next += 2;
    return [name, value()];
  };
  function membersUntil<T>(end: string, read: () => T): T[] {
    const members: T[] = [];
    for (; tokens[next] !== end; next += tokens[next] === ',' ? 1 : 0) members.push(read());
    next++;
    return members;
  }
  return value();
}

/** Is a parsed value an object? */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A parsed value as a list; an empty one for anything else. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** A feature's text, parsed. */
export interface JsonFeature {
  id: unknown;
  properties: Readonly<Record<string, unknown>>;
  geometry: Readonly<Record<string, unknown>> | null;
}

/** Parses a feature's text. @throws Error that says what it is instead */
export function featureOf(line: Buffer): JsonFeature {
  const feature = jsonOf(line);
  if (!isObject(feature) || feature['type'] !== 'Feature') throw new Error('its text is not a GeoJSON feature');
  const { id, properties, geometry } = feature;
  if (!isObject(properties)) throw new Error('has no properties');
  if (geometry !== null && !isObject(geometry)) throw new Error('has no geometry');
  return { id, properties, geometry };
}

function jsonOf(line: Buffer): unknown {
  try {
    return exactJson(new TextDecoder('utf-8', { fatal: true }).decode(line));
  } catch (cause) {
    throw new Error(`its text is not JSON: ${line.subarray(0, 60)}`, { cause });
  }
}
