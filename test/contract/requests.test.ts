// The HTTP contract: what a request asks for, of any request there is.
import { testRequests } from './any-request.ts';
import { DIRECTORY } from './setups.ts';
import { prepareWorld } from './world.ts';

testRequests(await prepareWorld(DIRECTORY));
