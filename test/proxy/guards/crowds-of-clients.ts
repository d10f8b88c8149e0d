// 5,000 connections of one token that ask for anything this service offers, from a folder and from a static host, in a
// network whose packets are as small as real ones: some of these in crowds.ci.ts, all in crowds.long.ts,
// which also compares how long others wait. On plain loopback the operating system takes one or two megabytes of a body
// at once, and hides what a real network shows.
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { CHANGES_PATH, GONE_PATH } from '../../../format/changes.ts';
import { CURRENT_PATH } from '../../../format/layout.ts';
import { goneToText } from '../../../format/write/texts.ts';
import { staticHostOrigin } from '../../../proxy/origin/static-host.ts';
import { MANY_SIZES } from '../../support/datasets/large-dataset.ts';
import { sha256 } from '../../support/files.ts';
import { type CrowdAnswers, type CrowdOptions, crowd } from '../../support/http/crowd.ts';
import { startService, token } from '../../support/http/in-process-proxy.ts';
import { startStaticHost } from '../../support/http/static-host.ts';
import { printedBy, without } from '../../support/processes/programs.ts';
import { sampleOutput, worldOutput } from '../../support/releases/world.ts';

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
/** What is asked for of the sample, which has tiles, names of many words and units with many neighbours. */
const OF_SAMPLE: readonly Asked[] = [
  { path: '/api/v1/download/lv3.geojsonl.gz?bbox={-9.0:-5.0},36,{0.0:4.0},44' },
  { path: '/api/v1/search?q=san+e&limit={1:100}' },
  { path: '/api/v1/search?q=a+b+c+d+e+f+g+h+i&limit={1:100}' },
  { path: '/api/v1/tiles/lv3/8/{120:132}/{93:101}.mvt' },
  { path: '/api/v1/fc/lv2?touches=ESP.13.1_1&geometry=none&page-size={1:100}' },
  { path: '/about.json' },
  { path: '/api/v1/fc/lv3?gid-3=gone{0:9}&page-size={1:100}' },
];
const ORIGINS = ['a folder', 'a static host'];
const CROWDS = [
  ...ORIGINS.flatMap((origin) => ASKED.map((asked) => ({ origin, of: 'world', asked }))),
  ...ORIGINS.flatMap((origin) => OF_SAMPLE.map((asked) => ({ origin, of: 'sample', asked }))),
];

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
  const chosen = choose(CROWDS);
  const world = await servicesOf(await worldOutput({ size: MANY_SIZES, pages: 'unfiltered' }));
  const sample = chosen.some(({ of }) => of === 'sample') ? await servicesOf(await sampleWithSuccessors()) : world;
  for (const { origin, of, asked } of chosen)
    test(`${asked.method ?? 'GET'} ${asked.path} ${asked.headers ?? ''}from ${origin}`, async () => {
      const services = of === 'world' ? world : sample;
      const { url } = origin === 'a folder' ? services.local : services.remote;
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

/** Services of an output folder: from itself, and from a static host. */
async function servicesOf(folder: string) {
  const host = await startStaticHost(folder);
  const remote = await startService(folder, { origin: staticHostOrigin({ url: host.url, headers: {} }) });
  return { local: await startService(folder, { explorer: true }), remote };
}

/** The sample, of which ten GIDs and 20,000 others are gone. */
async function sampleWithSuccessors(): Promise<string> {
  const folder = await sampleOutput();
  const units = Array.from(
    { length: 20_000 },
    (_, i) => ({ level: 3, gid: `gone${i}`, successors: ['none'] }) as const,
  );
  const gone = gzipSync(goneToText(units));
  mkdirSync(join(folder, CHANGES_PATH), { recursive: true });
  writeFileSync(join(folder, GONE_PATH), gone);
  const pointer = join(folder, CURRENT_PATH);
  const current = JSON.parse(readFileSync(pointer, 'utf8'));
  writeFileSync(pointer, JSON.stringify({ ...current, gone: { bytes: gone.length, sha256: sha256(gone) } }));
  return folder;
}

/**
 * Runs a test file again, in a network of its own; fails with what it printed if a test fails there.
 * @param module `import.meta.url` of the file
 */
async function runInOwnNetwork(module: string): Promise<void> {
  const script = [NETWORK, 'exec "$@"'].join(' && ');
  const node = [process.execPath, ...process.execArgv, fileURLToPath(module)];
  const env = { ...process.env, [VARIABLE]: 'yes', NODE_TEST_CONTEXT: '' };
  await printedBy('unshare', [...UNSHARE, 'sh', '-c', script, 'sh', ...node], { env });
}
