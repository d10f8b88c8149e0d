// The names of one level: built while its file arrives, then asked for parents and children. Used by the worker for
// each level.
import { typeOf } from '../api/unit.js';
import { GidTable, hashOf } from './gid-table.js';
import { numberAt, numbersOf, readSegment, rowAt } from './segment.js';

/**
 * @typedef {import('../api/unit.js').NamedUnit} NamedUnit
 * @typedef {import('./segment.js').Segment} Segment
 */

const HEADER = '["fid","gid","name","type","parent","children"]';
const LINE_FEED = 10;
/** Lines are read in parts of about this size. */
const SEGMENT_BYTES = 256 * 1024;

/** Reads the bytes of a names file as they arrive. */
export class NameIndexBuilder {
  /** @type {Segment[]} */
  #segments = [];
  /** Of each row the number of its parent in `#parents`; 0 for none. @type {Uint32Array[]} */
  #parentIds = [];
  /** @type {Map<string, number>} */
  #parents = new Map();
  /** @type {Uint32Array[]} */
  #hashes = [];
  /** Bytes that are not read yet. @type {Uint8Array[]} */
  #waiting = [];
  #waitingBytes = 0;
  #hasHeader = false;
  #level;
  rows = 0;

  /** @param {number} level */
  constructor(level) {
    this.#level = level;
  }

  /**
   * @param {Uint8Array} bytes the next ones of the file
   * @throws {SyntaxError} where they are not those of a names file
   */
  add(bytes) {
    this.#waiting.push(bytes);
    this.#waitingBytes += bytes.length;
    if (this.#waitingBytes >= SEGMENT_BYTES) this.#readLines();
  }

  /**
   * @returns {NameIndex}
   * @throws {SyntaxError} where the file ends within a line
   */
  finish() {
    this.#readLines();
    if (this.#waitingBytes > 0 || !this.#hasHeader) throw new SyntaxError('the names end within a line');
    return new NameIndex(this.#level, {
      segments: this.#segments,
      parentIds: this.#parentIds,
      parents: this.#parents,
      table: new GidTable(this.#hashes),
    });
  }

  #readLines() {
    const bytes = concatenate(this.#waiting, this.#waitingBytes);
    const end = bytes.lastIndexOf(LINE_FEED) + 1;
    const start = this.#hasHeader || end === 0 ? 0 : this.#readHeader(bytes);
    this.#waiting = end === bytes.length ? [] : [bytes.slice(end)];
    this.#waitingBytes = bytes.length - end;
    if (end > start) this.#addSegment(end - start === bytes.length ? bytes : bytes.slice(start, end));
  }

  /** @param {Uint8Array} bytes */
  #readHeader(bytes) {
    const end = bytes.indexOf(LINE_FEED);
    const line = new TextDecoder().decode(bytes.subarray(0, end));
    if (line !== HEADER) throw new SyntaxError(`the names begin with ${line.slice(0, 80)}, expected ${HEADER}`);
    this.#hasHeader = true;
    return end + 1;
  }

  /** @param {Uint8Array} bytes */
  #addSegment(bytes) {
    const { segment, rows } = readSegment(bytes, this.rows);
    this.#segments.push(segment);
    this.#hashes.push(numbersOf(rows, (row) => (row[1] === null ? 0 : hashOf(row[1]))));
    this.#parentIds.push(numbersOf(rows, (row) => this.#idOf(row[4])));
    this.rows += rows.length;
  }

  /** @param {string | null} parent */
  #idOf(parent) {
    if (parent === null) return 0;
    const known = this.#parents.get(parent);
    if (known !== undefined) return known;
    const id = this.#parents.size + 1;
    this.#parents.set(parent, id);
    return id;
  }
}

/** The units of a level, by row: the order of the file, which is that of fids. */
export class NameIndex {
  #parentIds;
  #parents;
  #table;

  /**
   * @param {number} level
   * @param {{ segments: Segment[], parentIds: Uint32Array[], parents: Map<string, number>, table: GidTable }} parts
   */
  constructor(level, { segments, parentIds, parents, table }) {
    this.level = level;
    this.segments = segments;
    this.length = segments.reduce((sum, segment) => sum + segment.length, 0);
    /** Has a unit no GID of a parent? */
    this.hasOrphans = parentIds.some((ids) => ids.includes(0));
    this.#parentIds = parentIds;
    this.#parents = parents;
    this.#table = table;
  }

  /**
   * @param {number} row
   * @returns {NamedUnit}
   */
  unitAt(row) {
    const segment = this.segments.findLast(({ firstRow }) => firstRow <= row);
    if (segment === undefined) throw new RangeError(`row ${row} of ${this.length}`);
    const [fid, gid, name, type, parent, children] = rowAt(segment, row - segment.firstRow);
    return { level: this.level, fid, gid, name, type: typeOf(type), parent, children };
  }

  /**
   * @param {string} gid
   * @returns {NamedUnit | undefined} the first unit with this GID
   */
  find(gid) {
    const row = this.#table.rowOf(gid, (candidate) => this.unitAt(candidate).gid === gid);
    return row === -1 ? undefined : this.unitAt(row);
  }

  /**
   * The rows of the units with one of these parents, in order.
   * @param {ReadonlySet<string>} gids
   * @returns {number[]}
   */
  rowsIn(gids) {
    const isWanted = new Uint8Array(this.#parents.size + 1);
    for (const gid of gids) isWanted[this.#parents.get(gid) ?? 0] = 1;
    isWanted[0] = 0;
    /** @type {number[]} */
    const rows = [];
    let row = 0;
    for (const ids of this.#parentIds)
      for (const id of ids) {
        if (numberAt(isWanted, id) === 1) rows.push(row);
        row++;
      }
    return rows;
  }
}

/**
 * @param {readonly Uint8Array[]} parts
 * @param {number} length of all of them
 */
function concatenate(parts, length) {
  const bytes = new Uint8Array(length);
  let offset = 0;
  for (const part of parts) {
    bytes.set(part, offset);
    offset += part.length;
  }
  return bytes;
}
