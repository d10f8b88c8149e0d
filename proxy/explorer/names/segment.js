// A part of a names file: the bytes as received, and where its lines are. Rows are parsed again when they are shown:
// objects for 400,000 units would take ten times the memory.

/**
 * @typedef {[fid: number, gid: string | null, name: string | null, type: string | null, parent: string | null,
 * children: number]} Row
 *
 * @typedef {object} Segment
 * @property {number} firstRow row of the level that the segment starts with
 * @property {number} length rows
 * @property {Uint8Array} bytes the lines, each with its line feed
 * @property {Uint32Array} lineStarts offsets in `bytes`: of each row, and of the end
 */

const LINE_FEED = 10;
const decoder = new TextDecoder();

/**
 * @param {Uint8Array} bytes whole lines
 * @param {number} firstRow
 * @returns {{ segment: Segment, rows: Row[] }} `rows` for what else is indexed; they need not be kept
 * @throws {SyntaxError} where a line is not a row of a names file
 */
export function readSegment(bytes, firstRow) {
  const lines = decoder.decode(bytes.subarray(0, bytes.length - 1));
  /** @type {unknown[]} */
  const values = JSON.parse(`[${lines.replaceAll('\n', ',')}]`);
  const rows = values.map((value, i) => {
    if (isRow(value)) return value;
    throw new SyntaxError(`line ${firstRow + i + 2} of the names is not a row of six values`);
  });
  const lineStarts = startsOfLines(bytes, rows.length);
  const segment = { firstRow, length: rows.length, bytes, lineStarts };
  return { segment, rows };
}

/**
 * @param {Segment} segment
 * @param {number} index of the row in the segment
 * @returns {Row}
 */
export function rowAt({ bytes, lineStarts }, index) {
  const line = bytes.subarray(numberAt(lineStarts, index), numberAt(lineStarts, index + 1));
  return JSON.parse(decoder.decode(line));
}

/**
 * The element at `index`.
 * @param {Uint32Array | Uint8Array} list
 * @param {number} index
 * @throws {RangeError} if there is none
 */
export function numberAt(list, index) {
  const element = list[index];
  if (element === undefined) throw new RangeError(`index ${index} of ${list.length}`);
  return element;
}

/**
 * @param {unknown} value
 * @returns {value is Row}
 */
function isRow(value) {
  if (!Array.isArray(value) || value.length !== 6) return false;
  const areTexts = isTextOrNull(value[1]) && isTextOrNull(value[2]) && isTextOrNull(value[3]) && isTextOrNull(value[4]);
  return areTexts && typeof value[0] === 'number' && typeof value[5] === 'number';
}

/** @param {unknown} value */
function isTextOrNull(value) {
  return value === null || typeof value === 'string';
}

/**
 * Uint32Array.from takes several times as long.
 * @param {readonly Row[]} rows
 * @param {(row: Row) => number} toNumber
 */
export function numbersOf(rows, toNumber) {
  const numbers = new Uint32Array(rows.length);
  for (const [i, row] of rows.entries()) numbers[i] = toNumber(row);
  return numbers;
}

/**
 * @param {Uint8Array} bytes
 * @param {number} count
 */
function startsOfLines(bytes, count) {
  const starts = new Uint32Array(count + 1);
  for (let row = 1, start = 0; row <= count; row++) {
    start = bytes.indexOf(LINE_FEED, start) + 1;
    starts[row] = start;
  }
  return starts;
}
