// Every origin, the public service, one without stored pages and one without guards answer as the directory does.
import { testAsDirectory } from './compare.ts';
import { COMPARED } from './setups.ts';

await testAsDirectory(COMPARED);
