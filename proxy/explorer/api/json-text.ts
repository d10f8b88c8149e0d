// Parts of JSON as text: what JSON.parse would damage, integers beyond 2^53, stays as received.

/**
 * The members of a JSON object, in order, with the text of their values.
 * @param text valid JSON: what JSON.parse accepts
 */
export function* membersOf(text: string): Generator<[name: string, value: string]> {
  for (let at = skipSpace(text, skipSpace(text, 0) + 1); text[at] === '"'; ) {
    const nameEnd = endOfValue(text, at);
    const start = skipSpace(text, skipSpace(text, nameEnd) + 1);
    const end = endOfValue(text, start);
    yield [JSON.parse(text.slice(at, nameEnd)), text.slice(start, end)];
    at = skipSpace(text, skipSpace(text, end) + 1);
  }
}

/**
 * The elements of a JSON array, as text.
 * @param text valid JSON
 */
export function elementsOf(text: string): string[] {
  const elements: string[] = [];
  for (let at = skipSpace(text, skipSpace(text, 0) + 1); at < text.length && text[at] !== ']'; ) {
    const end = endOfValue(text, at);
    elements.push(text.slice(at, end));
    at = skipSpace(text, skipSpace(text, end) + 1);
  }
  return elements;
}

/** @returns the text of the value of an object's member */
export function memberOf(text: string, name: string): string | undefined {
  for (const [key, value] of membersOf(text)) if (key === name) return value;
  return undefined;
}

/** @param start of a value */
function endOfValue(text: string, start: number) {
  const first = text[start];
  if (first === '"') return endOfString(text, start);
  if (first !== '{' && first !== '[') {
    let at = start;
    while (at < text.length && !',]} \n\r\t'.includes(text.charAt(at))) at++;
    return at;
  }
  for (let at = start, depth = 0; at < text.length; ) {
    const character = text[at];
    if (character === '"') {
      at = endOfString(text, at);
      continue;
    }
    at++;
    if (character === '{' || character === '[') depth++;
    else if ((character === '}' || character === ']') && --depth === 0) return at;
  }
  throw new SyntaxError('the JSON ends within a value');
}

/** @param start of a string, at its quotation mark */
function endOfString(text: string, start: number) {
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] === '\\') at++;
    else if (text[at] === '"') return at + 1;
  }
  throw new SyntaxError('the JSON ends within a string');
}

function skipSpace(text: string, start: number) {
  let at = start;
  while (at < text.length && ' \n\r\t'.includes(text.charAt(at))) at++;
  return at;
}
