// The rules of the HTTP contract, all of them, tested against the service of a setup.
import { describe } from 'node:test';
import { testAnswers } from './answers.ts';
import { testDownloads } from './downloads.ts';
import { testErrors } from './errors.ts';
import { testEveryAnswer } from './every-answer.ts';
import { testFiles } from './files.ts';
import { testGeometries } from './geometries.ts';
import { testOgc } from './ogc.ts';
import { testRefusals } from './refusals.ts';
import { testReleases } from './releases.ts';
import { testRequests } from './requests.ts';
import type { Setup } from './setups.ts';
import { testSyntax } from './syntax.ts';
import { prepareWorld, type World } from './world.ts';

type Parts = Readonly<Record<string, (world: World) => void>>;

/** What is asked of requests before anything is read; a public service turns nobody away. */
const BEFORE_READING: Parts = { 'who is turned away': testErrors, 'paths and tokens': testSyntax };
const READING: Parts = {
  'what a request asks for': testRequests,
  'what a request may not say': testRefusals,
  'what an answer is': testAnswers,
  'what all answers have': testEveryAnswer,
  'small answers': testGeometries,
  'OGC API - Features': testOgc,
  'while releases change': testReleases,
  'overview and names': testFiles,
  downloads: testDownloads,
};

/**
 * Tests the rules in these setups. All are prepared before the first suite is declared: the runner ends the file when
 * the declared tests have ended, which are none where --test-name-pattern leaves them all out.
 */
export async function testRules(setups: readonly Setup[]): Promise<void> {
  const worlds: World[] = [];
  for (const setup of setups) worlds.push(await prepareWorld(setup));
  for (const world of worlds)
    describe(world.setup.name, () => {
      const parts = { ...(world.setup.isPublic ? {} : BEFORE_READING), ...READING };
      for (const [title, testPart] of Object.entries(parts)) describe(title, () => testPart(world));
    });
}
