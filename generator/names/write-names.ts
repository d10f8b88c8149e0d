// Writes the names of a level's units, names.jsonl.gz, for `finalizeLevel`.
import { join } from 'node:path';
import { namesPath } from '../../format/layout.ts';
import type { Level } from '../../format/levels.ts';
import { type NamedUnit, namesHeader, namesLine } from '../../format/names.ts';
import type { WholeFile } from '../../format/release.ts';
import { writeWholeFile } from '../release/whole-file.ts';

/** Writes the file. @param out the release's folder, in which the level has one */
export function writeNames(out: string, level: Level, units: Iterable<NamedUnit>): WholeFile {
  return writeWholeFile(join(out, namesPath(level)), linesOf(units));
}

function* linesOf(units: Iterable<NamedUnit>): Generator<string> {
  yield namesHeader();
  for (const unit of units) yield namesLine(unit);
}
