// Releases that cannot break: a sample of the moments at which a build is killed or fails.
import { sampleOf } from '../support/sample.ts';
import { testCrashes } from './crashes.ts';

testCrashes((operations) => sampleOf(operations, 8));
