// The HTTP contract of the example for Workers, in workerd.
import { testContract } from './contract.ts';
import { IN_WORKERD } from './setups.ts';

await testContract([IN_WORKERD], [IN_WORKERD]);
