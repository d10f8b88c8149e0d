// Releases that cannot break: a kill, and every error, at every file operation.
import { testCrashes } from './crashes.ts';

testCrashes((operations) => operations);
