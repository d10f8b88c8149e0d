// Verifies a range of a level's feature files: inflates each feature by itself, derives all that the index says of it anew,
// and compares. Runs in a child process; holds one feature at a time.
import { hash } from 'node:crypto';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { joinCrcs } from '../../format/crc32.ts';
import { elementAt } from '../../format/element-at.ts';
import { MEMBER_END_BYTES, MEMBER_FRAME_BYTES, MEMBER_HEADER, memberEnd } from '../../format/gzip.ts';
import { featureFilePath, releasePath } from '../../format/layout.ts';
import { DIGEST_BYTES, type LevelIndex } from '../../format/level-index.ts';
import type { Level } from '../../format/levels.ts';
import type { NamedUnit } from '../../format/names.ts';
import type { LevelSummary } from '../../format/release.ts';
import { gidFrom, isNoName } from '../geojson/property-values.ts';
import { gidsOf } from '../names/named-units.ts';
import { FileError, problemOf } from '../reader/file-error.ts';
import { expectBytes, inflateFeature } from '../reader/inflate.ts';
import { featureFrom, isObject, type JsonFeature, listOf, parsedToJson } from '../reader/parse-feature.ts';
import { openFeatures, readLevel } from '../reader/read-level.ts';
import { type FileReading, LINE_FEED, readingOf, sha256OfFile } from '../reader/read-page.ts';

/** Which files of a level to read: `from` up to but not including `to`. Plain data, like the results. */
export interface RangeTask {
  out: string;
  release: string;
  level: Level;
  from: number;
  to: number;
}

/** Which feature files to read. */
export interface FeaturesTask extends RangeTask {
  /** The columns of names and types; undefined if release.json is damaged. */
  columns: LabelColumns | undefined;
  /** Is the level in the overview? */
  isInOverview: boolean;
}

/** What was found. */
export interface FeaturesResult {
  files: FileReading[];
  /** For each position of the files: 1 if its feature is as the index describes it. */
  intact: Uint8Array;
  /** For each position what the feature says; undefined if it is damaged or the columns are not known. */
  units: (Unit | undefined)[];
}

/** Verifies feature files. */
export async function verifyFeatures(task: FeaturesTask): Promise<FeaturesResult> {
  const root = join(task.out, releasePath(task.release));
  const index = readLevel(root, task.release, task.level);
  const { arrays } = index;
  const features = openFeatures(root, index);
  const check = newFeatureCheck(index);
  const first = task.from * index.perFile;
  const intact = new Uint8Array(index.fileEnd(task.to - 1) - first);
  const units: (Unit | undefined)[] = Array.from(intact, () => undefined);

  /** Verifies a feature. @returns how the index differs from it @throws FileError if it is damaged */
  function checkFeature(position: number): string[] {
    const data = features.dataAt(position);
    const digest = hash('sha256', data, 'buffer').subarray(0, DIGEST_BYTES);
    if (!digest.equals(index.digests(position, position + 1))) {
      const offset = index.offsetAt(position);
      return [`bytes ${offset} to ${offset + data.length - 1} do not have the digest in the index`];
    }
    const text = inflateFeature(data, index.textBytes(position, position + 1));
    if (text.indexOf(LINE_FEED) !== text.length - 1) throw new FileError('its text is not one line');
    const next = {
      textStart: elementAt(arrays.textStart, position) + text.length,
      textCrc: joinCrcs(elementAt(arrays.textCrc, position), crc32(text), text.length),
      dataCrc: joinCrcs(elementAt(arrays.dataCrc, position), crc32(data), data.length),
    };
    const differences = (['textStart', 'textCrc', 'dataCrc'] as const)
      .filter((name) => arrays[name][position + 1] !== next[name])
      .map((name) => `${name}[${position + 1}] in the index is ${arrays[name][position + 1]}, expected ${next[name]}`);
    const feature = check(text, position);
    if (differences.length === 0) intact[position - first] = 1;
    if (task.columns !== undefined) units[position - first] = unitOf(feature, task.columns, task.isInOverview);
    return differences;
  }

  /** Checks that header and end of a feature file are those of a member with the texts of its features. */
  function checkFrame(file: number, size: number): string[] {
    const [start, end] = [file * index.perFile, index.fileEnd(file)];
    const trailer = memberEnd({ crc: index.textCrc(start, end), length: index.textBytes(start, end) });
    expectBytes(features.bytesOf(file, 0, MEMBER_HEADER.length), MEMBER_HEADER, 'gzip header');
    const got = features.bytesOf(file, size - MEMBER_END_BYTES, MEMBER_END_BYTES);
    expectBytes(got, trailer, 'final block with the gzip trailer');
    return [];
  }

  function readFile(file: number): FileReading {
    const path = join(root, featureFilePath(task.level, file));
    const { size } = statSync(path);
    const sha256 = sha256OfFile(path);
    const problems: string[] = [];
    const differences: string[] = [];
    const attempt = (where: string, work: () => readonly string[]): void => {
      try {
        for (const difference of work()) differences.push(where + difference);
      } catch (error) {
        problems.push(where + problemOf(error));
      }
    };
    const [start, end] = [file * index.perFile, index.fileEnd(file)];
    for (let position = start; position < end; position++) {
      if (index.offsetAt(position) + index.dataBytes(position, position + 1) > size) break;
      attempt(`fid ${index.fidAt(position)}: `, () => checkFeature(position));
    }
    const expected = MEMBER_FRAME_BYTES + index.dataBytes(start, end);
    if (size !== expected) differences.push(`is ${size} bytes long, expected ${expected}`);
    else if (differences.length === 0) attempt('', () => checkFrame(file, size));
    return { bytes: size, sha256, problems, differences };
  }

  try {
    const files: FileReading[] = [];
    for (let file = task.from; file < task.to; file++) files.push(await readingOf(() => readFile(file)));
    return { files, intact, units };
  } finally {
    features.close();
  }
}

/** Name and type of a unit. */
export type Label = Pick<NamedUnit, 'name' | 'type'>;

/** What a feature says for names and overview: its name and type, and whether the overview must have its shape. Plain data. */
export interface Unit extends Label {
  /** Whether the overview must, may or must not have its shape; `may` for units of little area. */
  shape: 'must' | 'may' | 'no';
}

/**
 * Makes a check of the features of a level. It takes a text, JSON and line feed, and its position, and returns the feature;
 * it throws FileError if the text is not the feature that the index describes.
 */
export function newFeatureCheck(index: LevelIndex): (text: Buffer, position: number) => JsonFeature {
  const columns = index.columns.map(({ name }, column) => ({ name, gidAt: gidsOf(index, column) }));
  return (text, position) => {
    const fid = index.fidAt(position);
    const feature = featureFrom(text);
    const { id, properties } = feature;
    if (id !== fid) throw new FileError(`its id is ${parsedToJson(id)}, expected ${fid}`);
    if (properties['fid'] !== fid) throw new FileError(`properties.fid is ${parsedToJson(properties['fid'])}`);
    for (const { name, gidAt } of columns) {
      const [gid, expected] = [gidFrom([properties[name]], [0]), gidAt(position)];
      if (gid !== expected)
        throw new FileError(`${name} is ${JSON.stringify(gid)}, the index has ${JSON.stringify(expected)}`);
    }
    return feature;
  };
}

/** The columns of names and types. */
export type LabelColumns = Pick<LevelSummary, 'nameColumn' | 'typeColumn'>;

/** What a feature says. @param isInOverview is its level in the overview? */
function unitOf({ properties, geometry }: JsonFeature, columns: LabelColumns, isInOverview: boolean): Unit {
  return {
    name: nameIn(properties, columns.nameColumn),
    type: nameIn(properties, columns.typeColumn),
    shape: isInOverview ? shapeOf(geometry) : 'may',
  };
}

/** The name or type in a column; null if there is none. */
function nameIn(properties: JsonFeature['properties'], column: string): string | null {
  const text = textOf(properties[column]);
  return text !== null && isNoName(text, column) ? null : text;
}

/** A property as text; null if it is empty. */
function textOf(value: unknown): string | null {
  if (value === null || value === undefined || value === '') return null;
  return typeof value === 'string' ? value : (parsedToJson(value) ?? null);
}

/** Area in square degrees from which a unit must have a shape: a build rounds coordinates before it computes areas. */
const AREA_MIN = 1e-9;

function shapeOf(geometry: JsonFeature['geometry']): Unit['shape'] {
  const rings = exteriorRings(geometry);
  if (rings.length === 0) return 'no';
  return rings.some((ring) => areaOf(ring) > AREA_MIN) ? 'must' : 'may';
}

function exteriorRings(geometry: unknown): (readonly unknown[])[] {
  if (!isObject(geometry)) return [];
  const { type, coordinates, geometries } = geometry;
  if (type === 'GeometryCollection') return listOf(geometries).flatMap(exteriorRings);
  const polygons = type === 'Polygon' ? [coordinates] : listOf(type === 'MultiPolygon' && coordinates);
  return polygons.map((polygon) => listOf(listOf(polygon)[0])).filter((ring) => ring.length > 0);
}

/** The area of a closed ring in square degrees. */
function areaOf(ring: readonly unknown[]): number {
  const [x0 = NaN, y0 = NaN] = listOf(ring[0]).map(Number);
  let [area, x1, y1] = [0, x0, y0];
  for (const position of ring) {
    const [x2 = NaN, y2 = NaN] = listOf(position).map(Number);
    area += (x1 - x0) * (y2 - y0) - (x2 - x0) * (y1 - y0);
    [x1, y1] = [x2, y2];
  }
  return Math.abs(area) / 2;
}
