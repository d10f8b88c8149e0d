// Verifies the names of a level against its manifest and its features.
import { namesPath } from '../../format/layout.ts';
import type { Level } from '../../format/levels.ts';
import { namesHeader, namesLine } from '../../format/names.ts';
import { FileError } from '../reader/inflate.ts';
import { problemOf } from '../report/faults.ts';
import type { ExpectedUnits } from './expected-units.ts';
import type { Metadata } from './metadata.ts';
import { readWholeFile } from './whole-file.ts';

const LINE_FEED = 0x0a;

/** Verifies the file of a level. @param units undefined if manifests are damaged: only checksums are compared */
export function verifyNames(level: Level, units: ExpectedUnits | undefined, metadata: Metadata): void {
  const path = namesPath(level);
  const text = readWholeFile(path, metadata.description?.levels[level]?.names, metadata);
  if (text === undefined || units === undefined) return;
  try {
    checkLines(text, units);
  } catch (error) {
    metadata.fault(path, problemOf(error));
  }
}

function checkLines(text: Buffer, units: ExpectedUnits): void {
  let begin = 0;
  let line = 0;
  for (let end = text.indexOf(LINE_FEED); end !== -1; end = text.indexOf(LINE_FEED, begin)) {
    checkLine(text.toString('utf8', begin, end + 1), line++, units);
    begin = end + 1;
  }
  if (begin < text.length) throw new FileError('its last line does not end in a line feed');
  if (line !== units.count + 1) throw new FileError(`has ${line} lines, expected a header and ${units.count} units`);
}

function checkLine(line: string, number: number, units: ExpectedUnits): void {
  if (number === 0) {
    if (line !== namesHeader()) throw new FileError(`line 1 is ${JSON.stringify(line)}, expected the header`);
    return;
  }
  if (number > units.count) throw new FileError(`line ${number + 1} follows the last unit`);
  const [fid, gid, name, type, parent, children] = listFrom(line, number);
  const unit = units.check(number - 1, { fid, gid, name, type, parent, children });
  if (namesLine(unit) !== line) throw new FileError(`line ${number + 1} is ${line.trimEnd()}, expected other JSON`);
}

function listFrom(line: string, number: number): unknown[] {
  let parsed: unknown;
  try {
    parsed = JSON.parse(line);
  } catch {
    // Reported below.
  }
  if (!Array.isArray(parsed)) throw new FileError(`line ${number + 1} is not a JSON list`);
  return parsed;
}
