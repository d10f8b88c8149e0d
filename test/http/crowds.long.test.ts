// 5,000 connections of one token that ask for anything this service offers, from a folder and from a static host, in a
// network whose packets are as small as real ones: others wait for milliseconds, and none of their requests fails.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { staticHostOrigin } from '../../proxy/origin/static-host.ts';
import { MANY_SIZES } from '../support/datasets/large-dataset.ts';
import { type CrowdOptions, crowd } from '../support/http/crowd.ts';
import { type RunningService, startService, token } from '../support/http/in-process-proxy.ts';
import { startStaticHost } from '../support/http/static-host.ts';
import { without } from '../support/processes/programs.ts';
import { worldOutput } from '../support/releases/world.ts';

const NETWORK = 'ip link set lo mtu 1500 up';
const CONNECTIONS = 5000;
/** Between an answer and the next request of a connection. */
const PAUSE_MS = 2000;
const CROWD_MS = 10_000;
/** Others ask at a fixed pace: what they are answered before the crowd has come does not outweigh the rest. */
const OTHERS_PAUSE_MS = 50;

/** What is asked for, of each kind of work: looked up, read, summed, inflated, remembered. */
const ASKED: readonly Pick<CrowdOptions, 'path' | 'method' | 'headers'>[] = [
  { path: '/api/v1/at?point={-180.0:180.0},{-80.0:80.0}' },
  { path: '/api/v1/fc/lv5?geometry=none&contains={-180.0:180.0},{-80.0:80.0}' },
  { path: '/api/v1/fc/lv3?geometry=low&contains=1.5,3.5' },
  { path: '/api/v1/geojsonl/lv5?page-size=1&start-at={0:2000}' },
  { path: '/api/v1/geojsonl/lv1' },
  { path: '/api/v1/fc/lv4?bbox={-180.0:0.0},-80,{0.0:180.0},{-10.0:80.0}' },
  { path: '/api/v1/download/lv3.geojson.gz?bbox={-180.0:0.0},-80,{0.0:180.0},{-10.0:80.0}', method: 'HEAD' },
  { path: '/api/v1/download/lv4.geojson.gz?bbox=-170,-80,170,{-10.0:80.0}', headers: 'If-None-Match: *\r\n' },
  { path: '/api/v1/download/lv4.geojson.gz', headers: 'Range: bytes=-1\r\n' },
  { path: '/api/v1/download/lv2.geojsonl.gz' },
  { path: '/api/v1/names/lv5' },
  { path: '/api/v1/ogc/collections/lv4/items?limit=1000&start-at={0:2000}' },
];

if (process.env['OWN_NETWORK'] === undefined)
  test('5,000 connections of one token leave others their answers within milliseconds', {
    skip: without(`unshare --map-root-user --net ${NETWORK}`, `test $(ulimit -Hn) -ge ${3 * CONNECTIONS}`),
  }, async () => {
    const node = [process.execPath, ...process.execArgv, fileURLToPath(import.meta.url)];
    const script = `${NETWORK} && exec "$@"`;
    const child = spawn('unshare', ['--map-root-user', '--net', 'sh', '-c', script, 'sh', ...node], {
      env: { ...process.env, OWN_NETWORK: 'yes', NODE_TEST_CONTEXT: '' },
      stdio: 'inherit',
    });
    assert.deepEqual(await once(child, 'exit'), [0, null]);
  });
else {
  const folder = await worldOutput({ size: MANY_SIZES, pages: 'unfiltered' });
  const host = await startStaticHost(folder);
  const services: [string, RunningService][] = [
    ['a folder', await startService(folder)],
    ['a static host', await startService(folder, { origin: staticHostOrigin({ url: host.url, headers: {} }) })],
  ];
  for (const [origin, { url }] of services)
    for (const asked of ASKED)
      test(`${asked.method ?? 'GET'} ${asked.path} ${asked.headers ?? ''}from ${origin}`, async () => {
        let begun = (): void => {};
        const hasBegun = new Promise<void>((resolve) => {
          begun = resolve;
        });
        const asking: CrowdOptions = {
          url,
          tokens: [await token({ sub: 'other' })],
          path: '/api/v1/geojsonl/lv2?start-at={0:200}&page-size=7',
          connections: 4,
          pauseMs: OTHERS_PAUSE_MS,
          ms: CROWD_MS,
        };
        const others = crowd(asking, begun);
        await hasBegun;
        const tokens = [await token({ sub: 'many' })];
        await crowd({ url, tokens, connections: CONNECTIONS, pauseMs: PAUSE_MS, ms: CROWD_MS, ...asked });
        const { statuses, median } = await others;
        assert.deepEqual(Object.keys(statuses), ['200'], JSON.stringify(statuses));
        assert.ok(median < 50, `median ${median} ms`);
      });
}
