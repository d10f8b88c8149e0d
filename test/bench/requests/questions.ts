// The rows of the serving benchmark that are loads of requests: what each asks, what the limit does for it, and what
// share of the limit it should reach.
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

/** A load of requests. */
export interface Question extends TargetList {
  name: QuestionName;
  /** What the limit does; see servers/limit.ts. */
  kind: 'memory' | 'slice' | 'page';
  /** The share of the limit's requests a second that is aimed at. */
  goal: string;
}

/** The names by which `--only` chooses them. */
export const QUESTION_NAMES = ['hot', 'slice', 'fc', 'unit', 'point', 'at', 'search', 'page'] as const;
export type QuestionName = (typeof QUESTION_NAMES)[number];

export const SLICE_FEATURES = 10;
export const FC_FEATURES = 20;
/** Different requests: asked in turn, so many that the response cache never has the next one. */
const WANTED = 100_000;

/** The loads that a release can be asked: one without page files has no stored pages. */
export function questionNames({ about }: MeasuredRelease): QuestionName[] {
  return QUESTION_NAMES.filter((name) => {
    if (name === 'page') return about.storedPages !== 'none';
    return !['point', 'at'].includes(name) || (about.cells && about.geometries.includes('none'));
  });
}

/** Makes the load of this name. */
export function questionOf(name: QuestionName, release: MeasuredRelease): Question {
  switch (name) {
    case 'hot': {
      const path = hotPath(release);
      const what = `hot page (${path})`;
      return { name, kind: 'memory', what, targets: [{ path }], goal: '>= 0.75, stretch 0.9' };
    }
    case 'slice': {
      const list = slicesAtRandomFids(largestLevel(release), 'geojsonl', SLICE_FEATURES, WANTED);
      return { name, kind: 'slice', ...list, goal: '>= 0.6, stretch 0.75' };
    }
    case 'fc': {
      const list = slicesAtRandomFids(largestLevel(release, [2, 3]), 'fc', FC_FEATURES, WANTED);
      return { name, kind: 'slice', ...list, goal: '>= 0.55, stretch 0.7' };
    }
    case 'unit':
      return { name, kind: 'slice', ...singleUnits(release, WANTED), goal: '>= 0.65, stretch 0.8' };
    case 'point':
      return { name, kind: 'slice', ...unitsAtPoints(largestLevel(release)), goal: '>= 0.5' };
    case 'at':
      return { name, kind: 'slice', ...hierarchiesAtPoints(largestLevel(release)), goal: '12,000 a second' };
    case 'search':
      return { name, kind: 'slice', ...searchesByName(release), goal: '15,000 a second' };
    case 'page':
      return { name, kind: 'page', ...storedPages(release, WANTED), goal: '>= 0.6, stretch 0.8' };
  }
}
