// The rules of the HTTP contract, on a directory in this process.
import { testRules } from './contract.ts';
import { testStart } from './errors.ts';
import { DIRECTORY } from './setups.ts';

await testRules([DIRECTORY]);
testStart();
