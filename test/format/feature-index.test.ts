// The feature index: where members are, over any number of feature files, and which digests they have.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import { FeatureIndex, featureRecord, RECORD_BYTES } from '../../format/feature-index.ts';
import { deflateText, joinMember, MEMBER_FRAME_BYTES, sumOf } from '../../format/gzip-members.ts';
import { FormatError } from '../../format/parse.ts';

interface Unit {
  text: Buffer;
  member: Buffer;
  record: Buffer;
}

function unitOf(content: string): Unit {
  const text = Buffer.from(`${content}\n`);
  const member = joinMember([{ data: deflateText(text), ...sumOf(text) }]);
  return { text, member, record: featureRecord(member, sumOf(text)) };
}

function indexOf(units: readonly Unit[], perFile: number): FeatureIndex {
  return new FeatureIndex(Buffer.concat(units.map(({ record }) => record)), units.length, perFile, 'features.idx');
}

function digestText(member: Buffer): string {
  return createHash('sha256').update(member).digest().toString('latin1');
}

const level = fc.record(
  {
    units: fc.array(fc.string({ maxLength: 80 }).map(unitOf), { maxLength: 25 }),
    perFile: fc.integer({ min: 1, max: 9 }),
  },
  { noNullPrototype: true },
);

test('every member is found in its file by its offset and length, and its record says what is in it', () => {
  fc.assert(
    fc.property(level, ({ units, perFile }) => {
      const index = indexOf(units, perFile);
      assert.equal(index.features, units.length);
      const files = Array.from({ length: index.files }, (_, file) => {
        const { first, end } = index.rangeOf(file);
        return Buffer.concat(units.slice(first, end).map(({ member }) => member));
      });
      for (const [position, { member, text }] of units.entries()) {
        const file = files[index.fileOf(position)];
        const start = index.offsetAt(position);
        assert.ok(file?.subarray(start, start + index.bytesAt(position)).equals(member), `position ${position}`);
        assert.deepEqual({ length: index.textBytesAt(position), crc: index.crcAt(position) }, sumOf(text));
        assert.ok(index.hasDigest(position, digestText(member)));
      }
    }),
  );
});

test('files follow one another without gap or overlap, all full but the last', () => {
  fc.assert(
    fc.property(level, ({ units, perFile }) => {
      const index = indexOf(units, perFile);
      const ranges = Array.from({ length: index.files }, (_, file) => index.rangeOf(file));
      assert.deepEqual(
        ranges.flatMap(({ first, end }) => Array.from({ length: end - first }, (_, i) => first + i)),
        [...units.keys()],
      );
      for (const { first, end } of ranges.slice(0, -1)) assert.equal(end - first, perFile);
      for (const [file, { first, end }] of ranges.entries()) {
        assert.ok(end > first);
        assert.deepEqual([index.fileOf(first), index.fileOf(end - 1)], [file, file]);
        assert.equal(index.offsetAt(first), 0, 'offsets count from the beginning of each file');
      }
    }),
  );
});

test('the bytes and records of a range are those of its members, also across files', () => {
  fc.assert(
    fc.property(level, fc.nat(25), fc.nat(25), ({ units, perFile }, a, b) => {
      const index = indexOf(units, perFile);
      const [first, end] = [Math.min(a, b, units.length), Math.min(Math.max(a, b), units.length)];
      const chosen = units.slice(first, end);
      assert.equal(
        index.bytesOf({ first, end }),
        chosen.reduce((sum, { member }) => sum + member.length, 0),
      );
      assert.ok(index.recordsOf({ first, end }).equals(Buffer.concat(chosen.map(({ record }) => record))));
    }),
  );
});

/** A record without a member: lengths of features that no test can hold. */
function recordOf(bytes: number, textBytes = 1, crc = 0): Buffer {
  const record = Buffer.alloc(RECORD_BYTES, 0xee);
  for (const [i, value] of [bytes, textBytes, crc].entries()) record.writeUInt32LE(value, i * 4);
  return record;
}

test('a record is four fields at fixed places, little-endian', () => {
  const member = Buffer.from('any bytes');
  const record = featureRecord(member, { crc: 0x89abcdef, length: 0x01020304 });
  const digest = createHash('sha256').update(member).digest('hex').slice(0, 16);
  assert.equal(record.toString('hex'), `09000000${'04030201'}${'efcdab89'}${digest}`);
  assert.equal(record.length, RECORD_BYTES);
  assert.ok(featureRecord(member, { crc: 0x89abcdef | 0, length: 0x01020304 }).equals(record), 'a signed CRC');
});

test('lengths up to 4 GiB and offsets beyond are exact; a longer text has no record', () => {
  const most = 2 ** 32 - 1;
  const records = Buffer.concat([recordOf(most, most, most), recordOf(most), recordOf(21), recordOf(most)]);
  const index = new FeatureIndex(records, 4, 3, 'features.idx');
  assert.deepEqual([index.bytesAt(0), index.textBytesAt(0), index.crcAt(0)], [most, most, most]);
  assert.deepEqual(
    [0, 1, 2, 3].map((position) => index.offsetAt(position)),
    [0, most, 2 * most, 0],
  );
  assert.equal(index.bytesOf({ first: 0, end: 4 }), 3 * most + 21);
  assert.throws(() => featureRecord(Buffer.alloc(30), { crc: 0, length: 2 ** 32 }), RangeError);
});

test('a digest is the first 64 bits of SHA-256: one that differs in any of them is refused', () => {
  const [unit, other] = [unitOf('one'), unitOf('two')];
  const index = indexOf([unit, other], 100);
  const sha256 = digestText(unit.member);
  const changed = (at: number): string =>
    sha256.slice(0, at) + String.fromCharCode(sha256.charCodeAt(at) ^ 1) + sha256.slice(at + 1);
  for (let at = 0; at < 8; at++) assert.ok(!index.hasDigest(0, changed(at)), `byte ${at}`);
  for (let at = 8; at < 32; at++) assert.ok(index.hasDigest(0, changed(at)), `byte ${at}`);
  assert.ok(!index.hasDigest(0, digestText(other.member)));
  assert.ok(index.hasDigest(1, digestText(other.member)));
  for (const short of ['', sha256.slice(0, 7)]) assert.ok(!index.hasDigest(0, short));
});

test('positions that the level does not have are errors, not numbers', () => {
  const index = indexOf([unitOf('one'), unitOf('two')], 100);
  for (const position of [-1, 2]) {
    assert.throws(() => index.bytesAt(position), RangeError);
    assert.throws(() => index.textBytesAt(position), RangeError);
    assert.throws(() => index.crcAt(position), RangeError);
    assert.ok(!index.hasDigest(position, digestText(unitOf('two').member)));
  }
  assert.throws(() => index.offsetAt(-1), { name: 'RangeError', message: 'position -1 of 2' });
  assert.throws(() => index.bytesOf({ first: 0, end: 3 }), { name: 'RangeError', message: 'position 3 of 2' });
});

test('a level without features has an index of no bytes and no files', () => {
  const index = indexOf([], 100);
  assert.deepEqual([index.features, index.files, index.bytesOf({ first: 0, end: 0 })], [0, 0, 0]);
});

test('an index of another length is refused by name, with what was expected', () => {
  const records = Buffer.concat([recordOf(100), recordOf(100)]);
  for (const [bytes, features] of [
    [records, 1],
    [records, 3],
    [records.subarray(1), 2],
    [Buffer.concat([records, Buffer.alloc(1)]), 2],
    [Buffer.alloc(0), 1],
  ] as const) {
    assert.throws(() => new FeatureIndex(bytes, features, 100, 'lv1/features.idx'), {
      name: FormatError.name,
      message: `lv1/features.idx: ${bytes.length} bytes, expected 20 for each of ${features} features`,
    });
  }
});

test('a record that no member can have is refused with its position', () => {
  for (const bytes of [0, 1, MEMBER_FRAME_BYTES]) {
    const records = Buffer.concat([recordOf(100), recordOf(bytes), recordOf(100)]);
    assert.throws(() => new FeatureIndex(records, 3, 100, 'lv1/features.idx'), {
      name: FormatError.name,
      message: `lv1/features.idx: record 1 is of ${bytes} bytes, expected more than ${MEMBER_FRAME_BYTES}`,
    });
  }
  assert.doesNotThrow(() => new FeatureIndex(recordOf(MEMBER_FRAME_BYTES + 1), 1, 100, 'lv1/features.idx'));
});
