// All crowds of crowds-of-clients.ts: no request of others fails, nor do they wait for long. Nothing may run beside it.
import { testCrowds } from './crowds-of-clients.ts';

/**
 * Alone an answer takes half a millisecond; on a machine whose cores the crowd itself keeps busy, 90 times as long was
 * seen. What keeps the event loop busy, or lets others wait for all of the crowd, takes seconds.
 */
const TIMES_MAX = 200;

await testCrowds({ module: import.meta.url, choose: (crowds) => crowds, ms: 10_000, timesMax: TIMES_MAX });
