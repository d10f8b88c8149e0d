// The HTTP contract of the program with two processes that share a port, started by the Node that PROXY_NODE names.
import { testContract } from './contract.ts';
import { TWO_PROCESSES } from './setups.ts';

await testContract([TWO_PROCESSES], [TWO_PROCESSES]);
