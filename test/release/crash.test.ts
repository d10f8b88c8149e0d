// Releases that cannot break: an eighth of the moments at which a build is killed or fails.
import { sliceOf } from '../support/slice.ts';
import { testCrashes } from './crashes.ts';

testCrashes(sliceOf);
