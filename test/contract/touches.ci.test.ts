// Real boundaries: `touches` finds the neighbours that the features of the sample say.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readStored } from '../support/datasets/large-dataset.ts';
import { startService } from '../support/http/in-process-proxy.ts';
import { sampleOutput } from '../support/releases/world.ts';
import { sliceOf } from '../support/slice.ts';
import { assertTouches } from './touches.ts';

test('touches finds the neighbours that the features of the sample say', async () => {
  const folder = await sampleOutput();
  const service = await startService(folder);
  const stored = readStored(folder, 'sample');
  for (const level of [0, 1, 2, 3] as const)
    assert.ok((await assertTouches(service, stored, level, sliceOf)) > 50, `level ${level}`);
});
