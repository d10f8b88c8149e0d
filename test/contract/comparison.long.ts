// Origins with other choices of stored pages answer as the directory does, and every setup any request as the model
// says.
import { describe } from 'node:test';
import { testRequests } from './any-request.ts';
import { testAsDirectory } from './compare.ts';
import { COMPARED, COMPARED_ON_LANDING, OTHERS } from './setups.ts';
import { prepareWorld } from './world.ts';

await testAsDirectory(OTHERS);
for (const setup of [...COMPARED, ...COMPARED_ON_LANDING, ...OTHERS]) {
  const world = await prepareWorld(setup);
  describe(setup.name, () => testRequests(world));
}
