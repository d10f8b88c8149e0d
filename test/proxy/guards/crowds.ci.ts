// An eighth of the crowds of crowds-of-clients.ts, for a short time: no request of others fails.
import { sliceOf } from '../../support/slice.ts';
import { testCrowds } from './crowds-of-clients.ts';

await testCrowds({ module: import.meta.url, choose: sliceOf, ms: 3_000 });
