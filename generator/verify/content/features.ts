// Verifies a shard of a level's feature files: every member against its index record, every text against the manifest.
// Runs in a child process. Holds one feature at a time.
import { hash } from 'node:crypto';
import { join } from 'node:path';
import type { FeatureIndex, PositionRange } from '../../../format/feature-index.ts';
import { sumOf } from '../../../format/gzip-members.ts';
import { CHECKSUMS_FILE, featureFilePath, indexPath } from '../../../format/layout.ts';
import { pushValue } from '../../../format/runs.ts';
import { readFeatureIndex } from '../../reader/feature-reader.ts';
import { FileError, inflateMember } from '../../reader/inflate.ts';
import { type InputFile, openInputFile } from '../../reader/input-file.ts';
import { type Fault, problemOf } from '../../report/faults.ts';
import { checkFeature, type Positions, positionsOf } from './feature.ts';
import { openShard, type Shard, type ShardTask } from './shard.ts';
import { addUnitSum, type NameColumns, type UnitSums } from './unit-sums.ts';

/** The result. */
export interface VerifyFeaturesResult {
  /** Number of features that the files should hold. */
  features: number;
  /** Bytes of the files. */
  bytes: number;
  faults: Fault[];
  /** The positions of intact members, as flat [start, count] pairs. */
  sound: number[];
  /** What they say of names and shapes. */
  sums: UnitSums;
}

/** Which feature files to verify. */
export interface VerifyFeaturesTask extends ShardTask {
  columns: NameColumns;
}

/** A difference between a file and the index, worded for either: which one is damaged is known at the end. */
interface Mismatch {
  ofFile: string;
  ofIndex: string;
}

/** The context of a shard. */
interface Check extends Shard {
  index: FeatureIndex;
  positions: Positions;
  columns: NameColumns;
  /** Take the positions of intact members, and what they say of names and shapes. */
  sound: number[];
  sums: UnitSums;
}

const LINE_FEED = 0x0a;

/** Verifies every feature file of the shard. */
export function verifyFeatures(task: VerifyFeaturesTask): VerifyFeaturesResult {
  const shard = openShard(task);
  const { manifest, faults } = shard;
  const index = readFeatureIndex(shard.root, manifest);
  const { columns } = task;
  const check: Check = { ...shard, index, positions: positionsOf(manifest), columns, sound: [], sums: [] };
  let features = 0;
  let bytes = 0;
  for (const [i, checksum] of task.checksums.entries()) {
    const file = task.shard + i * task.shards;
    const { first, end } = index.rangeOf(file);
    features += end - first;
    try {
      bytes += verifyFile(file, checksum, check);
    } catch (error) {
      shard.fault(featureFilePath(manifest.level, file), problemOf(error));
    }
  }
  return { features, bytes, faults: faults.list(), sound: check.sound, sums: check.sums };
}

/** Verifies a file. @returns its length in bytes */
function verifyFile(file: number, checksum: string, check: Check): number {
  const { index, manifest, root, fault } = check;
  const path = featureFilePath(manifest.level, file);
  const range = index.rangeOf(file);
  const opened = openInputFile(join(root, path));
  const mismatches = readMembers(opened, path, range, check);
  const { bytes, sha256 } = opened.close();
  mismatches.push(...lengthMismatch(bytes, index.bytesOf(range), path));
  // Of the file, the index and checksums.txt, the one that differs from the other two is damaged.
  const isListed = sha256 === checksum;
  for (const { ofFile, ofIndex } of mismatches) {
    if (isListed) fault(indexPath(manifest.level), ofIndex);
    else fault(path, ofFile);
  }
  if (mismatches.length === 0 && !isListed && checksum !== '')
    fault(CHECKSUMS_FILE, `has ${checksum} for ${path}, which is ${sha256}, as the index has it`);
  return bytes;
}

/** Reads a file member by member. @returns its differences from the index */
function readMembers(opened: InputFile, path: string, { first, end }: PositionRange, check: Check): Mismatch[] {
  const { index, positions, fault } = check;
  const mismatches: Mismatch[] = [];
  for (let position = first; position < end && index.bytesAt(position) <= opened.left(); position++) {
    const member = opened.read(index.bytesAt(position));
    const fid = positions.fidAt(position);
    if (!index.hasDigest(position, hash('sha256', member, 'binary'))) {
      mismatches.push(memberMismatch(position, fid, index, path));
      continue;
    }
    try {
      checkMember(member, position, fid, check);
    } catch (error) {
      fault(path, `fid ${fid}: ${problemOf(error)}`);
    }
  }
  return mismatches;
}

/** Verifies one member. @param member bytes on which file and index agree */
function checkMember(member: Buffer, position: number, fid: number, { index, fault, ...rest }: Check): void {
  const { manifest, positions, columns, sound, sums } = rest;
  const text = inflateMember(member);
  const problem = sumProblem(text, position, fid, index);
  if (problem !== undefined) fault(indexPath(manifest.level), problem);
  if (text.indexOf(LINE_FEED) !== text.length - 1) throw new FileError('its text is not one line');
  const feature = checkFeature(text, position, manifest, positions);
  if (problem !== undefined) return;
  pushValue(sound, position);
  if (columns !== undefined) addUnitSum(sums, position, feature, { level: manifest.level, columns });
}

function memberMismatch(position: number, fid: number, index: FeatureIndex, path: string): Mismatch {
  const first = index.offsetAt(position);
  const bytes = `bytes ${first} to ${first + index.bytesAt(position) - 1}`;
  return {
    ofFile: `fid ${fid}: ${bytes} are not the member that the index describes`,
    ofIndex: `record ${position}, of fid ${fid}, does not describe its member, ${bytes} of ${path}`,
  };
}

function lengthMismatch(bytes: number, expected: number, path: string): Mismatch[] {
  if (bytes === expected) return [];
  return [
    {
      ofFile: `is ${bytes} bytes long, its members ${expected}`,
      ofIndex: `has ${expected} bytes of members for ${path}, which is ${bytes} bytes long`,
    },
  ];
}

/** How the sum of a member's text differs from its record; undefined if it does not. */
function sumProblem(text: Buffer, position: number, fid: number, index: FeatureIndex): string | undefined {
  const { length, crc } = sumOf(text);
  const [textBytes, recordCrc] = [index.textBytesAt(position), index.crcAt(position)];
  if (length === textBytes && crc === recordCrc) return undefined;
  return `record ${position}, of fid ${fid}, has ${textBytes} bytes and CRC-32 ${recordCrc} of text, its member ${length} and ${crc}`;
}
