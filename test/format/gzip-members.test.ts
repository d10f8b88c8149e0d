// Gzip members: their bytes, what may be joined, and the arithmetic of their sums, against zlib's own.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { constants, crc32, gunzipSync, inflateRawSync } from 'node:zlib';
import fc from 'fast-check';
import type { DeflatedText, TextSum } from '../../format/gzip-members.ts';
import {
  deflateText,
  EMPTY_SUM,
  FINAL_BLOCK,
  FRAME_DATA,
  joinMember,
  joinSums,
  MEMBER_END_BYTES,
  MEMBER_FRAME_BYTES,
  MEMBER_HEADER,
  memberEnd,
  sumOf,
  TRAILER_BYTES,
} from '../../format/gzip-members.ts';
import { FORMATS, FRAMES } from '../../format/levels.ts';

const MIB = 2 ** 20;

function deflated(text: Uint8Array): DeflatedText {
  return { data: deflateText(text), ...sumOf(text) };
}

/** Inflates data that is not final. */
function inflated(data: Uint8Array): Buffer {
  return inflateRawSync(data, { finishFlush: constants.Z_SYNC_FLUSH });
}

/** Asserts that `member` is exactly one gzip member with this text: nothing before, between or after. */
function assertMember(member: Buffer, text: Buffer): void {
  assert.ok(member.subarray(0, MEMBER_HEADER.length).equals(MEMBER_HEADER));
  assert.ok(gunzipSync(member).equals(text));
  const deflate = member.subarray(MEMBER_HEADER.length, -TRAILER_BYTES);
  assert.ok(deflate.subarray(-FINAL_BLOCK.length).equals(FINAL_BLOCK));
  assert.throws(
    () => inflateRawSync(deflate.subarray(0, -1)),
    { code: 'Z_BUF_ERROR' },
    'the deflate stream does not end before the trailer begins',
  );
  assert.equal(member.readUInt32LE(member.length - 8), crc32(text));
  assert.equal(member.readUInt32LE(member.length - 4), text.length);
}

/** Texts of every kind: none, random bytes, and repetitive text that refers back across the places where it is cut. */
const text = fc.oneof(
  fc.uint8Array({ maxLength: 300 }),
  fc.array(fc.constantFrom('[12.3456789,', '-0.5],', '{"type":"Feature"', 'é東'), { maxLength: 60 }).map(joined),
  fc.nat(70_000).map((length) => Buffer.alloc(length, '[1.25,2.5],')),
);

function joined(words: readonly string[]): Buffer {
  return Buffer.from(words.join(''));
}

test('members joined in any number and order are one member with the joined text', () => {
  fc.assert(
    fc.property(fc.array(text, { maxLength: 6 }), (texts) => {
      assertMember(joinMember(texts.map(deflated)), Buffer.concat(texts));
      assertMember(joinMember(texts.toReversed().map(deflated)), Buffer.concat(texts.toReversed()));
    }),
  );
});

test('joined members can be taken apart and joined again, with stored blocks between them', () => {
  const { before, between, after } = FRAME_DATA.fc;
  fc.assert(
    fc.property(text, text, (one, two) => {
      const data = [one, two].map((bytes) => {
        const member = joinMember([deflated(bytes)]);
        return { data: member.subarray(MEMBER_HEADER.length, -MEMBER_END_BYTES), ...sumOf(bytes) };
      });
      const pieces = [before, ...data.flatMap((piece) => [piece, between]), after];
      const frame = FRAMES.fc;
      const whole = [frame.before, one, frame.between, two, frame.between, frame.after].map((part) =>
        Buffer.from(part),
      );
      assertMember(joinMember(pieces), Buffer.concat(whole));
    }),
  );
});

test('deflated text is byte-aligned, is not final and inflates alone', () => {
  fc.assert(
    fc.property(text, (bytes) => {
      const data = deflateText(bytes);
      assert.equal(data.subarray(-4).toString('hex'), '0000ffff', 'ends in an empty stored block');
      assert.ok(inflated(data).equals(bytes));
      assert.throws(() => inflateRawSync(data), { code: 'Z_BUF_ERROR' }, 'more data is expected');
    }),
  );
});

test('deflated text refers to nothing before it: what precedes it makes no difference', () => {
  const bytes = Buffer.from('[1.25,2.5],'.repeat(50));
  const data = deflateText(bytes);
  for (const other of ['x'.repeat(400), '[1.25,2.5],', ''])
    assertMember(
      joinMember([deflated(Buffer.from(other)), { data, ...sumOf(bytes) }]),
      Buffer.concat([Buffer.from(other), bytes]),
    );
});

test('a member of nothing is the empty text', () => {
  const member = joinMember([]);
  assertMember(member, Buffer.alloc(0));
  assert.equal(member.length, MEMBER_FRAME_BYTES);
  assert.equal(member.toString('hex'), `${MEMBER_HEADER.toString('hex')}0300${'00'.repeat(8)}`);
});

test('the header has no name and no time', () => {
  assert.equal(MEMBER_HEADER.toString('hex'), '1f8b08000000000000ff');
});

const LENGTHS = [0, 1, 2, 255, 256, 257, 65_535, 65_536, 65_537, 16 * MIB - 1, 16 * MIB, 16 * MIB + 257];

test('sums of two texts join to the sum of both, at every length where a table ends', () => {
  const pattern = Buffer.alloc(16 * MIB + 257, '{"coordinates":[[-179.9999999,');
  const texts = LENGTHS.map((length) => {
    const bytes = pattern.subarray(0, length);
    return { bytes, sum: sumOf(bytes) };
  });
  for (const a of texts)
    for (const b of texts) {
      // The larger pairs differ in nothing but the length of a, which the arithmetic does not look at.
      if (a.bytes.length > MIB && b.bytes.length > MIB) continue;
      assert.deepEqual(
        joinSums(a.sum, b.sum),
        { crc: crc32(b.bytes, a.sum.crc), length: a.bytes.length + b.bytes.length },
        `${a.bytes.length} + ${b.bytes.length}`,
      );
    }
});

test('sums of any pieces join to the sum of the whole, whichever are joined first', () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 700 }), { maxLength: 7 }), (pieces) => {
      const sums = pieces.map(sumOf);
      const whole = Buffer.concat(pieces);
      const expected = { crc: crc32(whole), length: whole.length };
      assert.deepEqual(
        sums.reduce((a, b) => joinSums(a, b), EMPTY_SUM),
        expected,
      );
      assert.deepEqual(
        sums.reduceRight((b, a) => joinSums(a, b), EMPTY_SUM),
        expected,
      );
    }),
  );
});

/** The sum of a piece repeated `2 ** doublings` times. */
function doubled(piece: TextSum, doublings: number): TextSum {
  let sum = piece;
  for (let i = 0; i < doublings; i++) sum = joinSums(sum, sum);
  return sum;
}

test('sums join up to texts of 4 GiB: appending a long text is appending its halves', () => {
  const start = sumOf(Buffer.from('{"type":"FeatureCollection"'));
  const piece = sumOf(Buffer.from('{"type":"Feature","id":7}'));
  for (let doublings = 1; doublings <= 27; doublings++) {
    const half = doubled(piece, doublings - 1);
    const whole = doubled(piece, doublings);
    assert.deepEqual(joinSums(start, whole), joinSums(joinSums(start, half), half), `${whole.length} bytes`);
  }
  assert.ok(doubled(piece, 27).length > 3 * 2 ** 30);
  const megabyte = Buffer.alloc(MIB, 0x41);
  let crc = 0;
  for (let i = 0; i < 64; i++) crc = crc32(megabyte, crc);
  assert.deepEqual(doubled(sumOf(megabyte), 6), { crc, length: 64 * MIB });
});

test("each format's frame is stored blocks: valid deflate data with the frame's text and sum", () => {
  for (const format of FORMATS) {
    for (const place of ['before', 'between', 'after'] as const) {
      const bytes = Buffer.from(FRAMES[format][place]);
      const { data, crc, length } = FRAME_DATA[format][place];
      assert.deepEqual({ crc, length }, sumOf(bytes));
      assert.ok(inflated(data).equals(bytes));
      assert.equal(data.length, bytes.length === 0 ? 0 : bytes.length + 5, `${format} ${place}`);
      if (bytes.length === 0) continue;
      assert.equal(data[0], 0, 'a stored block, not final');
      assert.equal(data.readUInt16LE(1), bytes.length);
      assert.equal(data.readUInt16LE(1) ^ data.readUInt16LE(3), 0xffff);
    }
  }
});

test('the end of a member is the final block, the CRC and the length, and nothing else', () => {
  const sum = { crc: 0xfedcba98, length: 7 };
  assert.equal(memberEnd(sum).length, MEMBER_END_BYTES);
  assert.equal(memberEnd(sum).toString('hex'), '0300' + '98badcfe' + '07000000');
  // A signed CRC is the same 32 bits; a length beyond 32 bits is written modulo 2^32, as RFC 1952 has it.
  assert.ok(memberEnd({ crc: sum.crc | 0, length: 7 }).equals(memberEnd(sum)));
  assert.ok(memberEnd({ crc: sum.crc, length: 2 ** 32 + 7 }).equals(memberEnd(sum)));
});

const MEMBERS_IN_HEX = `
  const { deflateText, FRAME_DATA, joinMember, sumOf } = await import('./format/gzip-members.ts');
  const texts = ['', 'a', '[1.25,2.5],'.repeat(9000), 'é東'.repeat(100)].map((text) => Buffer.from(text));
  const pieces = texts.map((text) => ({ data: deflateText(text), ...sumOf(text) }));
  const { before, between, after } = FRAME_DATA.fc;
  process.stdout.write(joinMember([before, ...pieces, between, ...pieces, after]).toString('hex'));
`;

test('no byte of a member varies from run to run, under another time zone, language and content of new memory', () => {
  const runs = [
    { TZ: 'UTC', LC_ALL: 'C' },
    { TZ: 'Asia/Kathmandu', LC_ALL: 'tr_TR.UTF-8', NODE_OPTIONS: '--zero-fill-buffers' },
  ].map((env) => {
    const args = ['--import', 'tsx', '--input-type=module', '-e', MEMBERS_IN_HEX];
    const run = spawnSync(process.execPath, args, { env: { ...process.env, ...env }, encoding: 'utf8' });
    assert.equal(run.status, 0, run.stderr);
    return run.stdout;
  });
  assert.ok((runs[0] ?? '').length > 400);
  assert.equal(runs[1], runs[0]);
});
