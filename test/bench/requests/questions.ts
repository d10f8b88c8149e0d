// The rows of the serving benchmark that are loads of requests: what each asks, and what it should reach.

import type { Coding } from '../servers/service.ts';
import type { MeasuredRelease } from './measured-release.ts';
import { largestLevel, singleUnits, slicesAtRandomFids, storedPages, type Target, type TargetList } from './targets.ts';

/** A load of requests. */
export interface Question extends TargetList {
  name: QuestionName;
  coding: Coding;
  /** `once`: no target is asked for twice by one proxy. `again`: all are asked for at random, after one pass. */
  order: 'once' | 'again';
  /** Whether latency is measured as well, at half of the peak. */
  isTailMeasured: boolean;
  /** The ratio of requests a second to the control's that is aimed at. */
  goal: string;
}

/** The names by which `--only` chooses them. */
export const QUESTION_NAMES = ['slice', 'slice-identity', 'unit', 'fc', 'page', 'pages-again', 'hot'] as const;
export type QuestionName = (typeof QUESTION_NAMES)[number];

export const SLICE_FEATURES = 10;
export const FC_FEATURES = 20;
const PAGES_AGAIN = 10_000;
/** Most requests a second that any proxy of one process is expected to answer: lists are made long enough for it. */
const EXPECTED_RATE = 25_000;

/** The loads that a release can be asked: one without page files has no stored pages. */
export function questionNames({ about }: MeasuredRelease): QuestionName[] {
  return QUESTION_NAMES.filter((name) => about.storedPages !== 'none' || !name.startsWith('page'));
}

/**
 * Makes the load of this name.
 * @param seconds how long a measurement takes
 */
export function questionOf(name: QuestionName, release: MeasuredRelease, seconds: number): Question {
  const wanted = EXPECTED_RATE * seconds;
  const asked = { name, coding: 'gzip', order: 'once', isTailMeasured: true, goal: 'none' } as const;
  switch (name) {
    case 'slice':
    case 'slice-identity': {
      const coding = name === 'slice' ? 'gzip' : 'identity';
      const list = slicesAtRandomFids(largestLevel(release), 'geojsonl', SLICE_FEATURES, wanted);
      return { ...asked, ...list, coding, isTailMeasured: name === 'slice', goal: '>= 0.35, stretch 0.5' };
    }
    case 'unit':
      return { ...asked, ...singleUnits(release, wanted), goal: '>= 0.4, stretch 0.5' };
    case 'fc': {
      const list = slicesAtRandomFids(largestLevel(release, [2, 3]), 'fc', FC_FEATURES, wanted);
      return { ...asked, ...list, isTailMeasured: false, goal: '>= 0.3, stretch 0.45' };
    }
    case 'page': {
      const { what, targets } = storedPages(release);
      return { ...asked, what: `${what}, never asked before`, targets, goal: '>= 0.25, stretch 0.4' };
    }
    case 'pages-again': {
      const targets = storedPages(release).targets.slice(0, PAGES_AGAIN);
      const what = `${targets.length.toLocaleString('en')} stored pages again and again`;
      return { ...asked, what, targets, order: 'again', isTailMeasured: false };
    }
    case 'hot':
      return { ...asked, ...hotPage(release), order: 'again', goal: '>= 0.75, stretch 0.9' };
  }
}

/** The first page of the larger of fc/lv2 and fc/lv3, whether it is a file or not. */
function hotPage(release: MeasuredRelease): TargetList {
  const path = `/api/v1/fc/lv${largestLevel(release, [2, 3]).level}`;
  const hot: Target = { path };
  return { what: `one page again and again (${path})`, targets: [hot] };
}
