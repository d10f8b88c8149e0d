// The HTTP contract, all of it, in every setup that the sample leaves out.
import { testContract } from './contract.ts';
import { OTHERS } from './setups.ts';

await testContract(OTHERS, OTHERS);
