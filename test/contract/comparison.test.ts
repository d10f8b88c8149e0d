// Every origin, the public service and one without stored pages answer as the directory does.
import { testAsDirectory } from './compare.ts';
import { COMPARED } from './setups.ts';

await testAsDirectory(COMPARED);
