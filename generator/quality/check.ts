// Decides whether a release may be published: the problems that fail a build must have been accepted by name.
import { basename } from 'node:path';
import { printable } from '../../format/command-line/messages.ts';
import { elementAt } from '../../format/element-at.ts';
import type { Finding } from '../../format/findings.ts';
import { LEVELS, type Level, levelName } from '../../format/levels.ts';
import type { Release } from '../../format/release-json.ts';
import type { LayerCrs } from '../source/layer-crs.ts';
import { foundIn } from '../source/level-source.ts';
import type { DatasetDescription } from '../source/level-sources.ts';
import { Findings, KINDS } from './findings.ts';

/** A level with fewer units than this share of those in the current release is probably incomplete. */
const FEWER_UNITS_SHARE = 0.9;

/** Maximum number of problems that an error lists, and of layers that are not used. */
const LISTED_MAX = 10;

/** A finding as a line: the level, what was found, where, and what it means. */
export function findingToText({ level, kind, count, example }: Finding): string {
  const [, [found, meaning] = [kind, '']] = Object.entries(KINDS).find(([name]) => name === kind) ?? [];
  const numbered = (text: string): string => text.replaceAll(/\{(.*?)\|(.*?)\}/g, count === 1 ? '$1' : '$2');
  const where = `${count > 1 ? 'e.g. ' : ''}${printable(example)}`;
  return `${levelName(level)}: ${count.toLocaleString('en')} ${numbered(found)} (${where}). ${numbered(meaning)}`.trimEnd();
}

/**
 * Levels with far fewer units than the current release has: the source is probably incomplete. A release of another
 * source is no measure: one country has fewer units than the sample.
 * @param names of the source
 */
export function findFewerUnits(
  counts: readonly number[],
  names: readonly string[],
  current: Pick<Release, 'release' | 'levels' | 'source'>,
): Finding[] {
  const kinds = new Set(current.source.map(({ name }) => kindOfName(topName(name))));
  if (!names.some((name) => kinds.has(kindOfName(name)))) return [];
  return LEVELS.flatMap((level): Finding[] => {
    const before = current.levels[level]?.features ?? 0;
    const now = counts[level] ?? 0;
    if (now >= before * FEWER_UNITS_SHARE) return [];
    const example = `${now.toLocaleString('en')} units, ${before.toLocaleString('en')} in release ${current.release}`;
    return [{ level, kind: 'fewer-units', count: before - now, example }];
  });
}

/** The first part of the path of a file in a folder of the source. */
function topName(name: string): string {
  return /^[A-Za-z]+:/.test(name) ? name : name.replace(/\/.*$/, '');
}

/** A name that all versions of a source have: without the ending of the file and the numbers in it. */
function kindOfName(name: string): string {
  return basename(name).toLowerCase().replace(/\..*$/, '').replaceAll(/\d+/g, '#');
}

/** What is remarkable about the layers of a dataset. */
export function datasetFindings({ levels, unused, systemFiles, crs }: DatasetDescription): Finding[] {
  const present = levels.map(({ level }) => level);
  const [first] = present;
  if (first === undefined) return [];
  const last = elementAt(present, present.length - 1);
  const missing = LEVELS.filter((level) => level > first && level < last && !present.includes(level));
  const found: Finding[] = missing.map((level) => ({
    level,
    kind: 'missing-level',
    count: 1,
    example: `the source has levels ${first} and ${last}`,
  }));
  const findings = new Findings(first);
  findings.add('unused-layers', () => unused.slice(0, LISTED_MAX).join(', '), unused.length);
  const above = LEVELS.slice(0, first);
  const columns = above.flatMap((n) => levels.flatMap(({ layers }) => layers[0]?.gidColumns[n] || []));
  findings.add(
    'missing-parents',
    `the source has no level ${above.join(', ')}: ${
      columns.length === 0
        ? `the units of level ${first} are the highest`
        : `their units have no names and no shapes, only the GIDs in ${[...new Set(columns)].join(', ')}`
    }`,
    above.length,
  );
  findings.add('system-files', () => elementAt(systemFiles, 0), systemFiles.length);
  return [...found, ...findings.list(), ...levels.flatMap(({ level }) => crsFindings(level, crs))];
}

/** Is it certain where the units of a level are? */
function crsFindings(level: Level, all: readonly LayerCrs[]): Finding[] {
  const findings = new Findings(level);
  for (const layer of all.filter((own) => own.level === level)) {
    const { name, origin, replaced, datum, way } = layer;
    const where = foundIn(layer);
    if (origin === 'assumed') findings.add('no-crs', where);
    if (replaced !== undefined) findings.add('replaced-crs', `${where}: ${name} instead of ${replaced}`);
    if (datum === 'other' && way !== undefined && way.accuracy === undefined)
      findings.add('unknown-accuracy', () => `${where}: ${[name, ...way.operations].join(': ')}`);
    // A few may be islands that the CRS is not made for.
    if (way !== undefined && 2 * way.outside > way.units) findings.add('outside-crs', `${where}: ${name}`, way.outside);
  }
  return findings.list();
}
