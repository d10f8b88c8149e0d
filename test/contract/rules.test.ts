// The rules of the HTTP contract, all of them, on a directory in this process. Every other setup must answer as it
// does: comparison.test.ts.
import { describe } from 'node:test';
import { testAnswers } from './answers.ts';
import { testDownloads } from './downloads.ts';
import { testErrors, testStart } from './errors.ts';
import { testEveryAnswer } from './every-answer.ts';
import { testItems } from './items.ts';
import { testOgc } from './ogc.ts';
import { testRefusals } from './refusals.ts';
import { testReleases } from './releases.ts';
import { testRequests } from './requests.ts';
import { DIRECTORY } from './setups.ts';
import { prepareWorld } from './world.ts';

const PARTS = {
  'paths, tokens and who is turned away': testErrors,
  'what a request asks for': testRequests,
  'what a request may not say': testRefusals,
  'what an answer is': testAnswers,
  'what all answers have': testEveryAnswer,
  'OGC API - Features': testOgc,
  'items of OGC API - Features': testItems,
  'while releases change': testReleases,
  downloads: testDownloads,
};

const world = await prepareWorld(DIRECTORY);
for (const [title, testPart] of Object.entries(PARTS)) describe(title, () => testPart(world));
testStart();
