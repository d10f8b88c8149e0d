// The rows of the serving benchmark: what each asks, what the limit does for it, and what share of the limit it should
// reach.
import type { MeasuredRelease } from './measured-release.ts';
import {
  hierarchiesAtPoints,
  hotPath,
  largestLevel,
  searchesByName,
  singleUnits,
  slicesAtRandomFids,
  storedPages,
  type TargetList,
  unitsAtPoints,
} from './targets.ts';

export interface Question {
  /** What the limit does; see servers/limit.ts. */
  kind: 'memory' | 'slice' | 'page';
  /** The share of the limit's requests a second that is aimed at. */
  goal: string;
  list: (release: MeasuredRelease) => TargetList;
}

/** Different requests: asked in turn, so many that the response cache never has the next one. */
const WANTED = 100_000;

/** By the names by which `--only` chooses them. */
export const QUESTIONS = {
  hot: {
    kind: 'memory',
    goal: '>= 0.75, stretch 0.9',
    list: (release) => ({ what: `hot page (${hotPath(release)})`, targets: [{ path: hotPath(release) }] }),
  },
  slice: {
    kind: 'slice',
    goal: '>= 0.6, stretch 0.75',
    list: (release) => slicesAtRandomFids(largestLevel(release), 'geojsonl', 10, WANTED),
  },
  fc: {
    kind: 'slice',
    goal: '>= 0.55, stretch 0.7',
    list: (release) => slicesAtRandomFids(largestLevel(release, [2, 3]), 'fc', 20, WANTED),
  },
  unit: { kind: 'slice', goal: '>= 0.65, stretch 0.8', list: (release) => singleUnits(release, WANTED) },
  point: { kind: 'slice', goal: '>= 0.5', list: (release) => unitsAtPoints(largestLevel(release)) },
  at: { kind: 'slice', goal: '12,000 a second', list: (release) => hierarchiesAtPoints(largestLevel(release)) },
  search: { kind: 'slice', goal: '15,000 a second', list: searchesByName },
  page: { kind: 'page', goal: '>= 0.6, stretch 0.8', list: (release) => storedPages(release, WANTED) },
} as const satisfies Record<string, Question>;

export type QuestionName = keyof typeof QUESTIONS;
export const QUESTION_NAMES = Object.keys(QUESTIONS) as QuestionName[];

/** The loads that a release can be asked: one without page files has no stored pages. */
export function questionNames({ about }: MeasuredRelease): QuestionName[] {
  return QUESTION_NAMES.filter((name) => {
    if (name === 'page') return about.storedPages !== 'none';
    return !['point', 'at'].includes(name) || (about.cells && about.geometries.includes('none'));
  });
}
