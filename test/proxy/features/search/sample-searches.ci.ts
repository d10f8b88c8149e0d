// GET /api/v1/search on the sample: what people type for places with several names, or a code, is found first.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { send, textOf } from '../../../support/http/http-client.ts';
import { startService } from '../../../support/http/in-process-proxy.ts';
import { sampleOutput } from '../../../support/releases/world.ts';

const service = await startService(await sampleOutput());

test('places of the sample are found first by a name of several, one with its article moved, and by a code', async () => {
  for (const [query, ...expected] of [
    ['La Coruña', 'name', 'lv2', 'A Coruña', 'Spain, Galicia'],
    ['Elche', 'name', 'lv3', 'Elx/Elche', 'Spain, Comunitat Valenciana, Alacant/Alicante'],
    ['San Sebastián', 'name', 'lv1', 'San Sebastián', 'Puerto Rico'],
    ['San Sebastián&gid-0=ESP', 'name', 'lv3', 'Donostia/San Sebastián', 'Spain, País Vasco/Euskadi, Gipuzkoa'],
    ['Rozas de Madrid, Las', 'name', 'lv3', 'Las Rozas de Madrid', 'Spain, Comunidad de Madrid, Madrid'],
    ['28079', 'code', 'lv3', 'Madrid', 'Spain, Comunidad de Madrid, Madrid'],
    ['na', 'code', 'lv0', 'Namibia', ''],
    ['Namibie', 'name', 'lv0', 'Namibia', ''],
  ] as const) {
    const text = textOf(await send(service, `/api/v1/search?q=${encodeURI(query)}`));
    const { levels, names, matches, parents } = JSON.parse(text);
    assert.deepEqual([matches[0], levels[0], names[0], parents[0].join(', ')], expected, query);
  }
});
