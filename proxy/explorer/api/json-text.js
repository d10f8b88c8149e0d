// Parts of JSON as text: what JSON.parse would damage, integers beyond 2^53, stays as received.

/**
 * The members of a JSON object, in order, with the text of their values.
 * @param {string} text valid JSON: what JSON.parse accepts
 * @returns {Generator<[name: string, value: string]>}
 */
export function* membersOf(text) {
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
 * @param {string} text valid JSON
 * @returns {string[]}
 */
export function elementsOf(text) {
  /** @type {string[]} */
  const elements = [];
  for (let at = skipSpace(text, skipSpace(text, 0) + 1); at < text.length && text[at] !== ']'; ) {
    const end = endOfValue(text, at);
    elements.push(text.slice(at, end));
    at = skipSpace(text, skipSpace(text, end) + 1);
  }
  return elements;
}

/**
 * @param {string} text
 * @param {string} name
 * @returns {string | undefined} the text of the value of an object's member
 */
export function memberOf(text, name) {
  for (const [key, value] of membersOf(text)) if (key === name) return value;
  return undefined;
}

/**
 * @param {string} text
 * @param {number} start of a value
 */
function endOfValue(text, start) {
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

/**
 * @param {string} text
 * @param {number} start of a string, at its quotation mark
 */
function endOfString(text, start) {
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] === '\\') at++;
    else if (text[at] === '"') return at + 1;
  }
  throw new SyntaxError('the JSON ends within a string');
}

/**
 * @param {string} text
 * @param {number} start
 */
function skipSpace(text, start) {
  let at = start;
  while (at < text.length && ' \n\r\t'.includes(text.charAt(at))) at++;
  return at;
}
