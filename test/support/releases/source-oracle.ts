// An oracle of the tests: is a release what GDAL reads of its dataset? First what `verify` finds, then the files that
// it was built from, then each level's features.
import { join } from 'node:path';
import { RELEASE_FILE, releasePath } from '../../../format/layout.ts';
import { levelName } from '../../../format/levels.ts';
import type { Release, SourceFile } from '../../../format/release.ts';
import { type Finding, listedFindings } from '../../../generator/check/findings.ts';
import { type Verification, verify } from '../../../generator/check/verify.ts';
import { describeSource, prepareLevels } from '../../../generator/describe-source.ts';
import { optionsOf } from '../../../generator/option-texts.ts';
import { BuildError } from '../../../generator/report/errors.ts';
import { SILENT } from '../../../generator/report/progress.ts';
import { sourceFiles } from '../../../generator/source/source-files.ts';
import { openPool } from '../../../generator/workers/pool.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { compareLevel } from './compare-level.ts';
import { readRelease } from './read-index.ts';

/**
 * Verifies the current release, and compares all of its levels with a dataset, read with the options that the release
 * records.
 * @param out the output folder; the indexes of its current release are intact
 * @param source the file or files of the dataset
 * @throws BuildError if the source cannot be opened or lacks a level that the release has
 */
export async function verifyAgainst(source: string | readonly string[], out: string): Promise<Verification> {
  const verified = await verify({ out, workers: 0 }, SILENT);
  const { release: id, findings } = verified;
  const description = readRelease(join(out, releasePath(id)));
  const given = [source].flat();
  const compared = [...(await fileFindings(given, description)), ...(await featureFindings(given, out, description))];
  return { ...verified, findings: listedFindings([...findings, ...compared]) };
}

async function featureFindings(source: string[], out: string, description: Release): Promise<Finding[]> {
  const { release, precision } = description;
  const published = description.levels.filter(({ layer }) => layer !== '').map(({ level }) => level);
  const wanted = { ...optionsOf(description), source, precision, levels: published };
  const pool = openPool(0);
  const scratch = temporaryFolder();
  const described = await describeSource(wanted, pool);
  const { levels } = await prepareLevels(described, wanted, scratch, { pool, report: SILENT });
  const missing = published.find((level) => !levels.some((own) => own.level === level));
  if (missing !== undefined)
    throw new BuildError(
      `no layer of the source is level ${missing}`,
      'give the source that the release was built from',
    );
  return levels.flatMap((own) => {
    const isRenumbered = description.levels[own.level]?.isRenumbered === true;
    const folder = join(scratch, levelName(own.level));
    return compareLevel({ out, release, source: own, isRenumbered, precision, scratch: folder });
  });
}

/**
 * Compares the given files with those in release.json. Names may repeat across folders: identical files match first.
 */
async function fileFindings(source: readonly string[], { release, source: recorded }: Release): Promise<Finding[]> {
  const findings: Finding[] = [];
  const path = `${releasePath(release)}/${RELEASE_FILE}`;
  const found = (problem: string): unknown => findings.push({ path, problem });
  const given = await sourceFiles(source);
  const isGiven = ({ name, bytes, sha256 }: SourceFile): boolean => {
    const at = given.findIndex((file) => file.name === name && file.bytes === bytes && file.sha256 === sha256);
    if (at !== -1) given.splice(at, 1);
    return at !== -1;
  };
  for (const { name, sha256 } of recorded.filter((file) => !isGiven(file))) {
    const at = given.findIndex((file) => file.name === name);
    const [file] = at === -1 ? [] : given.splice(at, 1);
    if (file === undefined) found(`was built from ${name}, which is not among the given files`);
    else found(`was built from ${name} with SHA-256 ${sha256}; the given one has ${file.sha256}`);
  }
  for (const { name } of given) found(`was not built from ${name}, which is among the given files`);
  return findings;
}
