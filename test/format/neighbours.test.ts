// The file of a level's neighbours: its form, the example of the specification, and what is refused of a damaged one.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodingNeighbours, type NeighbourArrays, type Neighbours } from '../../format/neighbours.ts';
import { FormatError } from '../../format/parse.ts';
import { encodeNeighbours } from '../../format/write/neighbours.ts';
import { neighbourLines } from '../../generator/borders/neighbours.ts';
import { neighboursOfUnits, rectangle } from '../support/datasets/made-up-levels.ts';
import { block, bytesIn } from './worked-example.ts';

function decode(bytes: Uint8Array, features: number): Neighbours {
  const decoding = decodingNeighbours(bytes, features, 'lv1/neighbours.bin');
  for (;;) {
    const { done, value } = decoding.next();
    if (done === true) return value;
  }
}

const example = bytesIn('text neighbours');

test('the example of the specification is what the generator makes of its squares, and the reader reads', () => {
  const made = neighboursOfUnits([[rectangle(0, 0, 0, 2, 2)], [rectangle(0, 2, 0, 4, 2)]], 0);
  assert.equal(encodeNeighbours(made.arrays).toString('hex'), example.toString('hex'));
  // At an address that is no multiple of four, too.
  for (const offset of [0, 1, 3])
    assert.deepEqual(decode(Buffer.concat([Buffer.alloc(offset), example]).subarray(offset), 2), made);
  const lines = neighbourLines(
    made,
    (position) => position + 1,
    (position) => ['A', 'B,C'][position] ?? null,
  );
  assert.equal([...lines].join(''), block('text neighbours-table').replaceAll('\n', '\r\n'));
  const empty = neighboursOfUnits([], 7);
  assert.deepEqual(decode(encodeNeighbours(empty.arrays), 0), empty);
});

test('a file that is cut, of another level or version, or whose sides contradict each other is refused', () => {
  const refused = (bytes: Uint8Array, features: number, problem: RegExp): void =>
    assert.throws(() => decode(bytes, features), { name: FormatError.name, message: problem });
  refused(example.subarray(0, 20), 2, /^lv1\/neighbours\.bin: does not begin like a file of neighbours$/);
  refused(example.with(0, 0), 2, /does not begin like/);
  refused(example.with(8, 6), 2, /: format version is 6, expected 7: build the release again from its source$/);
  refused(example, 3, /: has the neighbours of 2 units, expected 3$/);
  refused(example.subarray(0, -4), 2, /: has 48 bytes, expected 52$/);
  refused(example.with(16, 3), 2, /: has 52 bytes, expected 60$/);
  const arrays = (start: number[], neighbour: number[], length: number[]): NeighbourArrays => ({
    start: Uint32Array.from(start),
    neighbour: Uint32Array.from(neighbour),
    length: Uint32Array.from(length),
  });
  for (const [made, problem] of [
    [arrays([1, 1, 2], [1, 0], [5, 5]), /: start does not lead from 0 to 2$/],
    [arrays([0, 1, 1], [1, 0], [5, 5]), /: start does not lead from 0 to 2$/],
    [arrays([0, 3, 2], [1, 0], [5, 5]), /: start does not ascend at position 0$/],
    [arrays([0, 1, 2], [2, 0], [5, 5]), /: position 0 has neighbour 2, there are 2 units$/],
    [arrays([0, 1, 2], [0, 0], [5, 5]), /: position 0 is its own neighbour$/],
    [arrays([0, 1, 2], [1, 0], [5, 6]), /: positions 0 and 1 have different lengths of their border$/],
    [arrays([0, 1, 1, 2], [1, 0], [5, 5]), /: position 0 has neighbour 1, which does not have it$/],
    [arrays([0, 2, 3, 4], [2, 1, 0, 0], [5, 5, 5, 5]), /: the neighbours of position 0 do not ascend$/],
    [arrays([0, 2, 3, 3], [1, 1, 0], [5, 5, 5]), /: the neighbours of position 0 do not ascend$/],
    // Only from one side, of the higher position.
    [arrays([0, 0, 1], [0], [5]), /: position 1 has neighbour 0, which does not have it$/],
    [arrays([0, 1, 3, 4], [1, 0, 2, 0], [5, 5, 5, 5]), /: position 1 has neighbour 2, which does not have it$/],
  ] as const)
    refused(encodeNeighbours(made), made.start.length - 1, problem);
  // Whichever bit is flipped behind the head of a larger one.
  const units = [0, 1, 2, 3].map((x) => [rectangle(7, x, 0, x + 1, 1)]);
  const whole = encodeNeighbours(neighboursOfUnits(units, 7).arrays);
  for (let bit = 0; bit < 8 * (whole.length - 24); bit++)
    refused(whole.with(24 + (bit >> 3), (whole[24 + (bit >> 3)] ?? 0) ^ (1 << (bit & 7))), 4, /^lv1/);
});
