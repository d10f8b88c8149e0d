// An equal entity tag means equal bytes, whatever release a body is from: also where a feature has come to be the first
// of its file, and so alone, where other features are chained, or where another compressor has made the data.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { constants, deflateRawSync, gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { elementAt } from '../../../format/element-at.ts';
import { FRAME_DATA } from '../../../format/gzip.ts';
import { alonePath, featureFilePath } from '../../../format/layout.ts';
import { FEATURES_PER_FILE, FORMATS, type Format } from '../../../format/levels.ts';
import { SEAM } from '../../../format/write/gzip.ts';
import { Slice } from '../../../proxy/bodies/slice.ts';
import { LoadedTable } from '../../../proxy/data/loaded-release.ts';
import { type Origin, QueuedReads, type Recipient } from '../../../proxy/origin/origin.ts';
import { type FeatureText, makeFeatures } from '../../format/make-level.ts';
import { bodyOf } from '../../support/datasets/large-dataset.ts';
import { seedsOf } from '../../support/slice.ts';

const CLIENT: Recipient = { principal: '', isClosed: false, exchange: undefined };
const UNITS = 130;
const RUNS = 250;

/** The text of a unit, with its line feed: neighbours have much in common. */
function textOf(unit: number): string {
  const properties = { fid: unit, GID_0: `U${unit}`, NAME: `Unit ${unit % 7} of the ${'great '.repeat(unit % 5)}land` };
  return `${JSON.stringify({ type: 'Feature', id: unit, properties, geometry: null })}\n`;
}

interface Making {
  without: readonly number[];
  /** Level of zlib for data alone, and for chained data. */
  levels: readonly [number, number];
  /** Of so many units one is alone in its file; 0 for none but the first of each file. */
  aloneEvery: number;
}

/** A release in memory: the units that it has, and their files. */
interface MadeRelease {
  units: number[];
  source: LoadedTable;
  reads: QueuedReads;
}

/** Data by what it is made from: releases have most of it in common. */
const madeData = new Map<string, Buffer>();

/** The data of a unit, alone or chained to the one before it. */
function dataOf(unit: number, level: number, before?: number): Buffer {
  const key = `${unit} ${level} ${before}`;
  const known = madeData.get(key);
  if (known !== undefined) return known;
  const dictionary = before === undefined ? {} : { dictionary: Buffer.from(textOf(before)) };
  const options = { level, finishFlush: constants.Z_SYNC_FLUSH, ...dictionary };
  const data = deflateRawSync(textOf(unit).slice(0, -1), options);
  const sealed = Buffer.concat([data.subarray(0, -4), SEAM]);
  madeData.set(key, sealed);
  return sealed;
}

function make({ without, levels: [level, chainedLevel], aloneEvery }: Making): MadeRelease {
  const units = Array.from({ length: UNITS }, (_, unit) => unit).filter((unit) => !without.includes(unit));
  const features = units.map((unit, p): FeatureText => {
    const text = textOf(unit);
    const data = dataOf(unit, level);
    const isFirst = p % FEATURES_PER_FILE[0] === 0;
    if (isFirst || (aloneEvery > 0 && unit % aloneEvery === 0)) return { text, data };
    return { text, data, chained: dataOf(unit, chainedLevel, elementAt(units, p - 1)) };
  });
  const { table, files, alone } = makeFeatures(0, features);
  const stored = new Map<string, Buffer>();
  for (const [file, bytes] of files.entries()) stored.set(`r/${featureFilePath(0, file)}`, bytes);
  for (const [file, bytes] of alone.entries()) stored.set(`r/${alonePath(0, file)}`, bytes);
  const origin: Origin = {
    async read(path, extent) {
      const bytes = stored.get(path);
      assert.ok(bytes !== undefined && typeof extent !== 'number', path);
      return bytes.subarray(extent.offset, extent.offset + extent.length);
    },
  };
  return { units, source: new LoadedTable('r', table, 'full', 0), reads: new QueuedReads(origin) };
}

function sliceOf({ units, source }: MadeRelease, isAsked: (unit: number) => boolean, format: Format): Slice {
  const ranges: number[] = [];
  for (const [position, unit] of units.entries()) {
    if (!isAsked(unit)) continue;
    if (ranges.at(-1) === position) ranges[ranges.length - 1] = position + 1;
    else ranges.push(position, position + 1);
  }
  return new Slice([source], FRAME_DATA[format], format, ranges);
}

async function bytesOf(slice: { read: Slice['read'] }, { reads }: MadeRelease): Promise<Buffer> {
  const body = await slice.read(reads, CLIENT);
  if (Buffer.isBuffer(body)) return body;
  const chunks: Buffer[] = [];
  for await (const chunk of body) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks);
}

const making = fc.record({
  without: fc.array(fc.nat(UNITS - 1), { maxLength: 4 }),
  levels: fc.constantFrom<Making['levels'][]>([5, 5], [5, 5], [5, 9], [9, 5]),
  aloneEvery: fc.constantFrom(0, 0, 3, 10),
});

test('bodies of two releases with the same tag have the same bytes, and can be continued with each other', async () => {
  const seen = { same: 0, moved: 0, other: 0 };
  const any = fc.record({
    made: fc.tuple(making, making),
    from: fc.nat(UNITS - 1),
    count: fc.integer({ min: 1, max: 60 }),
    every: fc.constantFrom(1, 1, 2, 5),
    format: fc.constantFrom(...FORMATS),
    cut: fc.double({ min: 0, max: 1, noNaN: true }),
  });
  await fc.assert(
    fc.asyncProperty(any, async ({ made, from, count, every, format, cut }) => {
      const isAsked = (unit: number): boolean => unit >= from && unit < from + count && (unit - from) % every < 2;
      const [one, two] = [make(made[0]), make(made[1])];
      const [a, b] = [sliceOf(one, isAsked, format), sliceOf(two, isAsked, format)];
      const [body, other] = [await bytesOf(a, one), await bytesOf(b, two)];
      const textIn = ({ units }: MadeRelease): string => bodyOf(format, units.filter(isAsked).map(textOf));
      assert.equal(gunzipSync(body).toString(), textIn(one));
      assert.equal(gunzipSync(other).toString(), textIn(two));
      if (a.tag !== b.tag) {
        if (gunzipSync(body).equals(gunzipSync(other))) seen.other++;
        return;
      }
      assert.ok(body.equals(other));
      seen.same++;
      if (one.units.indexOf(from) !== two.units.indexOf(from)) seen.moved++;
      const at = Math.floor(cut * body.length);
      const rest = await bytesOf(b.part({ offset: at, length: body.length - at }), two);
      assert.ok(Buffer.concat([body.subarray(0, at), rest]).equals(body));
    }),
    { seed: elementAt(seedsOf(1), 0), numRuns: RUNS },
  );
  // It has not been true of nothing: equal tags of features at other positions, and other tags of equal texts.
  for (const [what, times] of Object.entries(seen)) assert.ok(times > 5, `${what}: ${times}`);
});

test('a unit that has come to be the first of its file changes the tag of what it is in the middle of, and no other', () => {
  const alike = { levels: [5, 5], aloneEvery: 0 } as const;
  const [one, two] = [make({ without: [0], ...alike }), make({ without: [], ...alike })];
  for (const [from, end, isSame] of [
    [1, 90, true],
    // 100 is the first of the second file with unit 0, and the last of the first file without it.
    [90, 101, false],
    [100, 101, true],
    [100, 102, false],
    [101, 130, true],
    [102, 130, true],
  ] as const)
    for (const format of FORMATS) {
      const [a, b] = [one, two].map((made) => sliceOf(made, (unit) => unit >= from && unit < end, format).tag);
      assert.equal(a === b, isSame, `${from} to ${end}`);
    }
});
