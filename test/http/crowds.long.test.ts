// All crowds of crowds.ts: others wait a bounded number of times as long as without a crowd. Nothing may run beside it.
import assert from 'node:assert/strict';
import { testCrowds } from './crowds.ts';

/** An answer takes a millisecond by itself; behind a crowd, some turns of the event loop, of which each is bounded. */
const TIMES_MAX = 50;

await testCrowds({
  module: import.meta.url,
  choose: (crowds) => crowds,
  ms: 10_000,
  async check({ median }, alone) {
    const control = await alone();
    assert.ok(median < TIMES_MAX * control.median, `median ${median} ms, without the crowd ${control.median} ms`);
  },
});
