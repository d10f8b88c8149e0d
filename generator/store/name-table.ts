// The names and types of a level's units: a file beside the level's store. The task that reads the dataset writes it; the
// tasks that write the names and the overview read it.
import { readFileSync, writeFileSync } from 'node:fs';
import { deserialize, serialize } from 'node:v8';
import { elementAt, numberAt } from '../../format/element-at.ts';

/** A unit's name and type; null if it has none. */
export interface NameAndType {
  name: string | null;
  type: string | null;
}

/** Collects names in the order in which units are read; `close` writes the file. */
export interface NameTableWriter {
  append(fid: number, names: NameAndType): void;
  close(): void;
}

/** The content of the file: flat, because a level may have hundreds of thousands of units. */
interface NameTable {
  /** The units' lines of JSON, `[name, type]`, in the order in which they were read. */
  text: Uint8Array;
  /** Where each line begins and ends, by position. */
  starts: Float64Array;
  ends: Float64Array;
}

const CHUNK_CHARS = 1 << 16;

/** Begins the table of the store at `store`. */
export function createNameTable(store: string): NameTableWriter {
  const fids: number[] = [];
  const lengths: number[] = [];
  const chunks: Buffer[] = [];
  let pending = '';

  function flush(): void {
    chunks.push(Buffer.from(pending));
    pending = '';
  }

  return {
    append(fid, { name, type }) {
      const line = JSON.stringify([name, type]);
      fids.push(fid);
      lengths.push(Buffer.byteLength(line));
      pending += line;
      if (pending.length >= CHUNK_CHARS) flush();
    },
    close() {
      flush();
      const ends = new Float64Array(fids.length);
      let end = 0;
      for (const [unit, length] of lengths.entries()) {
        end += length;
        ends[unit] = end;
      }
      const order = Uint32Array.from(fids.keys()).sort((a, b) => numberAt(fids, a) - numberAt(fids, b));
      const table: NameTable = {
        text: Buffer.concat(chunks),
        starts: Float64Array.from(order, (unit) => elementAt(ends, unit) - numberAt(lengths, unit)),
        ends: Float64Array.from(order, (unit) => elementAt(ends, unit)),
      };
      writeFileSync(tablePath(store), serialize(table));
    },
  };
}

/** Reads the table of a store; returns the name and type of the unit at a position. */
export function readNameTable(store: string): (position: number) => NameAndType {
  const table: NameTable = deserialize(readFileSync(tablePath(store)));
  const text = Buffer.from(table.text.buffer, table.text.byteOffset, table.text.byteLength);
  return (position) => {
    const line = text.toString('utf8', elementAt(table.starts, position), elementAt(table.ends, position));
    const [name, type]: [string | null, string | null] = JSON.parse(line);
    return { name, type };
  };
}

function tablePath(store: string): string {
  return `${store}.names`;
}
