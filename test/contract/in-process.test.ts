// The HTTP contract in this process: from each origin, with and without stored pages.
import { testContract } from './contract.ts';
import { testStart } from './errors.ts';
import { IN_PROCESS } from './setups.ts';

await testContract(IN_PROCESS, IN_PROCESS.slice(0, 1));
testStart();
