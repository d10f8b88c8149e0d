// Tables for `points` on the small countries: places with what is appended to their rows, and the function that
// appends.
import { Readable, Writable } from 'node:stream';
import type { NamedColumns } from '../../proxy/points/columns.ts';
import type { OpenRelease } from '../../proxy/points/open-release.ts';
import { points } from '../../proxy/points/points.ts';
import type { Summary } from '../../proxy/points/report.ts';

/** The columns that are appended. */
export const ADDED = ['gid_0', 'name_0', 'gid_1', 'name_1', 'gid_2', 'name_2'];
/** A point and what is appended to its row. */
export const SOUTH = { at: ['0.5', '0.5'], units: ['AAA', 'Aland', 'AAA.2_1', 'South', 'AAA.2.1_1', 'Søst'] };
export const LATE = { at: ['1.5', '3.5'], units: ['AAA', 'Aland', 'AAA.1_1', 'North', 'AAA.1.2_1', '"Wüst ""late"""'] };
/** What is appended to a row without a point, or where no unit is. */
export const NONE = ['', '', '', '', '', ''];

/**
 * Appends the units to a table.
 * @param pieceBytes of the table are read at a time: pieces end anywhere, also within a character
 */
export async function append(
  table: string | Buffer,
  open: () => Promise<OpenRelease>,
  {
    named = {},
    pieceBytes = 7,
    parents = false,
  }: { named?: NamedColumns; pieceBytes?: number; parents?: boolean } = {},
): Promise<{ text: string; summary: Summary }> {
  const bytes = Buffer.from(table);
  const input = Array.from({ length: Math.ceil(bytes.length / pieceBytes) }, (_, i) =>
    bytes.subarray(pieceBytes * i, pieceBytes * (i + 1)),
  );
  const pieces: Buffer[] = [];
  const output = new Writable({
    write(piece, _, done) {
      // Its memory is used again.
      pieces.push(Buffer.from(piece));
      done();
    },
  });
  const summary = await points(
    open,
    { ...named, parents },
    { input: Readable.from(input), output, progress() {}, exchanged() {} },
  );
  return { text: Buffer.concat(pieces).toString('utf8'), summary };
}
