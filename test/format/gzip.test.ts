// Gzip members of deflate data with seams: their bytes, and that they may be cut and joined, against zlib's own
// reading.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { constants, crc32, deflateRawSync, gunzipSync, inflateRawSync } from 'node:zlib';
import fc from 'fast-check';
import { sumOf, swapSeparator } from '../../format/crc32.ts';
import {
  type DeflatedText,
  FINAL_BLOCK,
  FRAME_DATA,
  MEMBER_FRAME_BYTES,
  MEMBER_HEADER,
  storedBlock,
  TRAILER_BYTES,
} from '../../format/gzip.ts';
import { FRAMES } from '../../format/levels.ts';
import { deflateLine, deflateText, deflateWhole, MemberWriter } from '../../format/write/gzip.ts';

function deflated(text: Uint8Array): DeflatedText {
  return { data: deflateText(text), ...sumOf(text) };
}

function joined(pieces: readonly DeflatedText[]): Buffer {
  const parts: Buffer[] = [];
  const writer = new MemberWriter((bytes) => parts.push(bytes));
  for (const piece of pieces) writer.add(piece);
  const bytes = pieces.reduce((sum, { length }) => sum + length, 0);
  assert.equal(writer.textBytes, bytes);
  writer.end();
  return Buffer.concat(parts);
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
  fc
    .array(fc.constantFrom('[12.3456789,', '-0.5],', '{"type":"Feature"', 'é東'), { maxLength: 60 })
    .map((words) => Buffer.from(words.join(''))),
  fc.nat(70_000).map((length) => Buffer.alloc(length, '[1.25,2.5],')),
);

test('texts joined in any number and order are one member with the joined text', () => {
  fc.assert(
    fc.property(fc.array(text, { maxLength: 6 }), (texts) => {
      assertMember(joined(texts.map(deflated)), Buffer.concat(texts));
      assertMember(joined(texts.toReversed().map(deflated)), Buffer.concat(texts.toReversed()));
    }),
  );
});

test('any run of texts is cut out of the member by its bytes, with stored blocks between if need be', () => {
  const { before, after } = FRAME_DATA.fc;
  const between = storedBlock(',');
  fc.assert(
    fc.property(fc.array(text, { minLength: 1, maxLength: 5 }), fc.nat(5), fc.nat(5), (texts, a, b) => {
      const pieces = texts.map(deflated);
      const member = joined(pieces);
      const [first, end] = [Math.min(a, b, texts.length), Math.min(Math.max(a, b), texts.length)];
      let offset = MEMBER_HEADER.length;
      const inMember = pieces.map((piece): DeflatedText => {
        const from = offset;
        offset += piece.data.length;
        return { ...piece, data: member.subarray(from, offset) };
      });
      const cut = inMember.slice(first, end);
      const chosen = texts.slice(first, end);
      assertMember(joined(cut), Buffer.concat(chosen));
      const framed = [before, ...cut.flatMap((piece, i) => (i === 0 ? [piece] : [between, piece])), after];
      const lines = chosen.flatMap((one, i) => (i === 0 ? [one] : [Buffer.from(FRAMES.fc.separator), one]));
      assertMember(
        joined(framed),
        Buffer.concat([Buffer.from(FRAMES.fc.before), ...lines, Buffer.from(FRAMES.fc.after)]),
      );
    }),
  );
});

test('text of any length is stored in blocks of at most 65,535 bytes', () => {
  for (const length of [0, 1, 0xffff, 0x10000, 200_000]) {
    const text = 'é'.repeat(length / 2) + 'a'.repeat(length % 2);
    const stored = storedBlock(text);
    assertMember(joined([stored, stored]), Buffer.from(text + text));
    assert.equal(stored.data.length, length + 5 * Math.ceil(length / 0xffff));
  }
});

test('deflated text is byte-aligned, is not final and inflates alone', () => {
  fc.assert(
    fc.property(text, (bytes) => {
      for (const data of [deflateText(bytes), deflateWhole(bytes)]) {
        assert.equal(data.subarray(-4).toString('hex'), '0000ffff', 'ends in an empty stored block');
        assert.ok(inflated(data).equals(bytes));
        assert.throws(() => inflateRawSync(data), { code: 'Z_BUF_ERROR' }, 'more data is expected');
      }
    }),
  );
});

/** The lines of features: text without a line feed, and one at its end. */
const line = text.map((bytes) =>
  Buffer.concat([Buffer.from(bytes.filter((byte) => byte !== 0x0a)), Buffer.from('\n')]),
);

test('a line is deflated alone, or with the line before it, and ends in a block with its line feed', () => {
  fc.assert(
    fc.property(fc.array(line, { minLength: 1, maxLength: 5 }), fc.array(fc.boolean()), (lines, areChained) => {
      const data = lines.map((one, i) => deflateLine(one, areChained[i] ? lines[i - 1] : undefined));
      for (const piece of data) assert.equal(piece.subarray(-5).toString('hex'), '0100feff0a');
      assertMember(
        joined(data.map((piece, i) => ({ data: piece, ...sumOf(lines[i] ?? Buffer.of()) }))),
        Buffer.concat(lines),
      );
      // The byte of a separator is that of the text, whatever is chained to it.
      for (const piece of data) piece[piece.length - 1] = 0x2c;
      const commas = Buffer.concat(lines.map((one) => Buffer.concat([one.subarray(0, -1), Buffer.from(',')])));
      assert.ok(inflateRawSync(Buffer.concat([...data, FINAL_BLOCK])).equals(commas));
      const sums = lines.map((one) => swapSeparator(crc32(one)));
      const expected = lines.map((one) => crc32(Buffer.concat([one.subarray(0, -1), Buffer.from(',')])));
      assert.deepEqual(sums, expected);
    }),
  );
});

test('a member of nothing is the empty text', () => {
  const member = joined([]);
  assertMember(member, Buffer.alloc(0));
  assert.equal(member.length, MEMBER_FRAME_BYTES);
  assert.equal(member.toString('hex'), `1f8b08000000000000ff0300${'00'.repeat(8)}`);
});

test('data is that of zlib with its largest window and buffer, whatever the length of the text and of the one before', () => {
  const [finishFlush, strategy] = [constants.Z_FULL_FLUSH, constants.Z_FILTERED];
  const words = Array.from({ length: 6000 }, (_, i) => `[${Math.sin(i).toFixed(7)},${Math.cos(i).toFixed(i % 8)}],`);
  const all = Buffer.from(words.join(''));
  const sizes = [0, 1, 250, 2 ** 10 - 263, 2 ** 10 - 262, 2 ** 12, 2 ** 14 - 263, 2 ** 14 - 262, 2 ** 15, 2 ** 16];
  for (const size of sizes) {
    const own = all.subarray(0, size);
    assert.deepEqual(deflateText(own), deflateRawSync(own, { level: 5, strategy, finishFlush }), `${size}`);
    assert.deepEqual(deflateWhole(own), deflateRawSync(own, { level: 7, finishFlush }), `${size}`);
    const line = Buffer.concat([own, Buffer.from('\n')]);
    for (const dictionary of sizes.slice(1).map((before) => all.subarray(7, 7 + before).subarray(-(2 ** 15)))) {
      const data = deflateRawSync(own, { level: 5, strategy, finishFlush, dictionary });
      const lined = deflateLine(line, dictionary);
      assert.deepEqual(lined.subarray(0, data.length - 4), data.subarray(0, -4), `${size} after ${dictionary.length}`);
    }
  }
});
