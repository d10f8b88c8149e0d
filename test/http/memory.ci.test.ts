// What scattered downloads from a static host, which are many reads each, take of a proxy's memory, as a process of its
// own.
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import { join } from 'node:path';
import { test } from 'node:test';
import { cachedOutput } from '../support/cached-folder.ts';
import { writeInvented } from '../support/datasets/large-dataset.ts';
import { token } from '../support/http/in-process-proxy.ts';
import { startStaticHost } from '../support/http/static-host.ts';
import { issuedOptions, serve } from '../support/processes/proxy-process.ts';
import { buildRelease } from '../support/releases/build-release.ts';
import { until } from '../support/until.ts';

const UNITS = 8000;
/** A quarter of the units, none beside another. */
const PATH = '/api/v1/download/lv1.geojsonl.gz?bbox=-160,-65,0,0';
const DOWNLOADS = 34;
/** Reads of the host until memory is looked at: by then it does not grow any more. */
const READS = 6000;
const MB = 1e6;

const folder = await cachedOutput(import.meta.url, 'scattered', async (out) => {
  const large = new Map(Array.from({ length: UNITS }, (_, i) => [`1.${i}`, 9_000 + ((i * 977) % 8_000)] as const));
  const source = join(out, 'scattered.gpkg');
  writeInvented(source, { counts: [4, UNITS], verticesOf: () => 8, strayEvery: 2 * UNITS, large });
  await buildRelease(source, out);
});
const host = await startStaticHost(folder);

/** The most memory that a proxy has had, in MB, while so many clients downloaded all that they may. */
async function memoryWith(clients: number): Promise<number> {
  const options = issuedOptions(folder).map((option) => (option === folder ? host.url.href : option));
  const { child, url, stop } = await serve([...options, '--no-access-log']);
  let reads = 0;
  host.fault = () => ++reads < 0;
  const answers: IncomingMessage[] = [];
  for (let i = 0; i < clients; i++) {
    const headers = { authorization: `Bearer ${await token({ sub: `client ${i}` })}` };
    const ask = (): void => {
      const asked = request(url + PATH, { agent: false, headers }, (answer) => {
        answers.push(answer.resume().on('error', () => {}));
        if (answer.statusCode === 200) answer.once('end', ask);
      });
      asked.on('error', () => {}).end();
    };
    for (let n = 0; n < DOWNLOADS; n++) ask();
  }
  await until(
    () => reads > READS,
    () => `${reads} reads`,
  );
  const status = readFileSync(`/proc/${child.pid}/status`, 'utf8');
  for (const answer of answers) answer.destroy();
  await stop('SIGKILL');
  return (Number(/VmHWM:\s+(\d+)/.exec(status)?.[1]) * 1024) / MB;
}

const skip = !existsSync('/proc/self/status');

test('scattered downloads from a host, all that one client may have, take at most 300 MB, with four clients 400', {
  skip,
}, async () => {
  const [one, four] = [await memoryWith(1), await memoryWith(4)];
  assert.ok(one < 300 && four < 400, `${one} and ${four} MB`);
});
