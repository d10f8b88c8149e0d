// Two processes that share a port, workerd, and another choice of stored pages answer as the directory does.
import { testAsDirectory } from './compare.ts';
import { COMPARED_ON_LANDING } from './setups.ts';

await testAsDirectory(COMPARED_ON_LANDING);
