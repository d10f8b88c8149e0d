// Whatever a request asks for, its body is exactly those features: more requests than `npm test` has time for.
import { startSliceWorlds, testSlices } from './slices.ts';

testSlices(await startSliceWorlds(), 500);
