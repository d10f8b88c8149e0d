// The explorer's client of the service: which answers say that another release is current.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createClient } from '../../proxy/explorer/api/client.ts';
import { countryLayers } from '../support/datasets/small-datasets.ts';
import { startService, TOKEN } from '../support/http/in-process-proxy.ts';
import { buildLayers } from '../support/releases/build-release.ts';
import { pointTo } from '../support/releases/point-to.ts';

test('what is behind a cursor, and what names its release, does not say which one is current', async () => {
  const folder = await buildLayers(countryLayers());
  await buildLayers(countryLayers(), { release: 'r2' }, folder);
  pointTo(folder, 'r1');
  const service = await startService(folder);
  const told: string[] = [];
  const onCurrent = (release: string): unknown => told.push(release);
  const client = createClient({ base: `${service.url}/`, token: () => TOKEN, onCurrent });
  const { signal } = new AbortController();
  const { next = '' } = await client.page(client.urlOf('geojsonl/lv2?page-size=1'), signal);
  pointTo(folder, 'r2', ['r1', 'r2']);
  await service.releases.refresh();
  const { units } = await client.page(next, signal);
  await client.size('download/lv0.geojsonl.gz?release=r1', signal);
  assert.deepEqual([units.length, told], [1, ['r1']]);
  await client.page(client.urlOf('geojsonl/lv2?page-size=1&start-at=2'), signal);
  assert.deepEqual(told, ['r1', 'r2']);
});
