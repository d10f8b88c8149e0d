// 5,000 connections of one token that ask for anything this service offers, from a folder and from a static host, in a
// network whose packets are as small as real ones: some of these in crowds.ci.test.ts, all in crowds.long.test.ts,
// which also compares how long others wait. On plain loopback the operating system takes one or two megabytes of a body
// at once, and hides what a real network shows.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { staticHostOrigin } from '../../proxy/origin/static-host.ts';
import { MANY_SIZES } from '../support/datasets/large-dataset.ts';
import { type CrowdAnswers, type CrowdOptions, crowd } from '../support/http/crowd.ts';
import { startService, token } from '../support/http/in-process-proxy.ts';
import { startStaticHost } from '../support/http/static-host.ts';
import { without } from '../support/processes/programs.ts';
import { worldOutput } from '../support/releases/world.ts';

const CONNECTIONS = 5000;
/** Between an answer and the next request of a connection. */
const PAUSE_MS = 2000;
/** Others ask at a fixed pace: what they are answered before the crowd has come does not outweigh the rest. */
const OTHERS_PAUSE_MS = 50;

type Asked = Pick<CrowdOptions, 'path' | 'method' | 'headers'>;

/** What is asked for, of each kind of work: looked up, read, summed, inflated, remembered. */
const ASKED: readonly Asked[] = [
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
const CROWDS = ['a folder', 'a static host'].flatMap((origin) => ASKED.map((asked) => ({ origin, asked })));

interface CrowdTests {
  /** `import.meta.url` of the test file. */
  module: string;
  choose: (crowds: typeof CROWDS) => typeof CROWDS;
  /** How long each asks, in milliseconds. */
  ms: number;
  /** How many times as long as without a crowd others may wait, in the median; not timed where left out. */
  timesMax?: number;
}

const UNSHARE = ['--map-root-user', '--net'];
const NETWORK = 'ip link set lo mtu 1500 up';
/** Of the process of a test file that has such a network. */
const VARIABLE = 'OWN_NETWORK';

/** Declares the tests, which fail if a request of others does. */
export async function testCrowds({ module, choose, ms, timesMax }: CrowdTests): Promise<void> {
  if (process.env[VARIABLE] === undefined) {
    const skip = without(`unshare ${UNSHARE.join(' ')} ${NETWORK}`, `test $(ulimit -Hn) -ge ${3 * CONNECTIONS}`);
    test('5,000 connections of one token leave others their answers', { skip }, () => runInOwnNetwork(module));
    return;
  }
  const folder = await worldOutput({ size: MANY_SIZES, pages: 'unfiltered' });
  const host = await startStaticHost(folder);
  const local = await startService(folder);
  const remote = await startService(folder, { origin: staticHostOrigin({ url: host.url, headers: {} }) });
  for (const { origin, asked } of choose(CROWDS))
    test(`${asked.method ?? 'GET'} ${asked.path} ${asked.headers ?? ''}from ${origin}`, async () => {
      const { url } = origin === 'a folder' ? local : remote;
      const asking: CrowdOptions = {
        url,
        tokens: [await token({ sub: 'other' })],
        path: '/api/v1/geojsonl/lv2?start-at={0:200}&page-size=7',
        connections: 4,
        pauseMs: OTHERS_PAUSE_MS,
        ms,
        waits: true,
      };
      // Before the crowd: after it the service still has to do with it.
      const control = timesMax === undefined ? undefined : await crowd(asking);
      let others: Promise<CrowdAnswers> | undefined;
      await new Promise<void>((begun) => {
        others = crowd(asking, begun);
      });
      const tokens = [await token({ sub: 'many' })];
      await crowd({ url, tokens, connections: CONNECTIONS, pauseMs: PAUSE_MS, ms, ...asked });
      const answers = await others;
      assert.ok(answers);
      assert.deepEqual(Object.keys(answers.statuses), ['200'], JSON.stringify(answers));
      if (timesMax === undefined || control === undefined) return;
      const { median } = answers;
      assert.ok(median < timesMax * control.median, `median ${median} ms, without the crowd ${control.median} ms`);
    });
}

/**
 * Runs a test file again, in a network of its own; fails if a test fails there.
 * @param module `import.meta.url` of the file
 */
async function runInOwnNetwork(module: string): Promise<void> {
  const script = [NETWORK, 'exec "$@"'].join(' && ');
  const node = [process.execPath, ...process.execArgv, fileURLToPath(module)];
  const child = spawn('unshare', [...UNSHARE, 'sh', '-c', script, 'sh', ...node], {
    env: { ...process.env, [VARIABLE]: 'yes', NODE_TEST_CONTEXT: '' },
    stdio: 'inherit',
  });
  assert.deepEqual(await once(child, 'exit'), [0, null]);
}
