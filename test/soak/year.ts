// A year of an operator, in minutes: two proxies behind nginx with signed releases of a bucket, which release.sh publishes;
// faults and repairs; all under a steady load, whose requests are counted.
import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { appendFileSync, copyFileSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { currentFromJson } from '../../format/current-json.ts';
import { CURRENT_PATH, featureFilePath, releasePath } from '../../format/layout.ts';
import { after } from '../support/after.ts';
import { countriesWith } from '../support/datasets/small-datasets.ts';
import { writeDataset } from '../support/datasets/write-dataset.ts';
import { token } from '../support/http/in-process-proxy.ts';
import { startStaticHost } from '../support/http/static-host.ts';
import { freePort } from '../support/processes/free-port.ts';
import { nginxBefore, SECOND_PROXY } from '../support/processes/nginx-varnish.ts';
import { runProgram } from '../support/processes/programs.ts';
import { issuerOptions, type Running, serve, workersOf } from '../support/processes/proxy-process.ts';
import { releaseRun } from '../support/processes/release-script.ts';
import { GENERATOR } from '../support/processes/run-generator.ts';
import { metricsOf, scrape } from '../support/processes/scrape.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { until } from '../support/until.ts';

/** What happened in the year. */
export interface Step {
  name: string;
  /** Answered as they should be, and not. */
  requests: number;
  lost: number;
  seconds: number;
}

/** Clients that ask one thing after the other, and the milliseconds between two requests of one. */
const CLIENTS = 4;
const PAUSE_MS = 20;
/** Each step goes on until so many more have been answered after it. */
const REQUESTS_AFTER = 100;
const UPLOAD = 'generator/examples/upload/upload.sh';
const QUARTERS = ['r1', 'r2', 'r3', 'r4'];

/** Plays the year. @param say receives a line for each step, and for each kind of answer that was wrong */
export async function year(say: (line: string) => void): Promise<Step[]> {
  const keys = temporaryFolder();
  const key = join(keys, 'private.pem');
  const trusted = join(keys, 'public.pem');
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  writeFileSync(key, privateKey.export({ type: 'pkcs8', format: 'pem' }));
  writeFileSync(trusted, publicKey.export({ type: 'spki', format: 'pem' }));
  const { output, set, run } = releaseRun();
  const bucket = join(temporaryFolder(), 'bucket');
  set({ remote: bucket, upload: UPLOAD, keep: '3', verify_options: `--workers 0 --trusted-key ${trusted}` });

  /** Publishes the release of a quarter, as the timer does. */
  const publish = async (release: string): Promise<void> => {
    const source = writeDataset(join(temporaryFolder(), 'source.gpkg'), 'GPKG', countriesWith('Søst', release));
    const config = join(temporaryFolder(), 'build.json');
    writeFileSync(config, JSON.stringify({ source: [source], 'sign-key': key, tiles: 'none', workers: 0 }));
    set({ release, config });
    const { status, text } = await run();
    assert.equal(status, 0, text);
  };
  await publish('r1');

  const host = await startStaticHost(bucket);
  const denied = join(keys, 'denied.txt');
  writeFileSync(denied, '');
  const own = ['--trusted-key', trusted, '--deny', denied, '--trust-proxy', '127.0.0.1', '--drain', '1s'];
  const options = [...issuerOptions(), ...own, '--metrics-port', '0', '--no-access-log'];
  const ports = [await freePort(), await freePort()];
  const start = (i: number): Promise<Running> => {
    // One reads the bucket over HTTP, the other one a folder: an outage of the host is not one of both.
    const origin = i === 0 ? ['--origin', host.url.href, '--workers', '2'] : ['--origin', bucket];
    return serve([...origin, ...options, '--port', String(ports[i])]);
  };
  const proxies = [await start(0), await start(1)];
  const proxy = (i: number): Running => proxies[i] ?? assert.fail();
  const front = await nginxBefore(proxy(0), 'nginx-front.conf', {
    [SECOND_PROXY]: `server 127.0.0.1:${ports[1]} max_fails=0;`,
  });

  const load = startLoad(front.url, await token({ sub: 'partner-a' }));
  after(() => load.stop());
  const steps: Step[] = [];
  const step = async (name: string, action: () => Promise<unknown>): Promise<void> => {
    const before = { ...load.counts };
    const begun = performance.now();
    await action();
    const seconds = (performance.now() - begun) / 1000;
    const enough = load.counts.requests + REQUESTS_AFTER;
    await until(() => load.counts.requests >= enough, `no requests after: ${name}`);
    const [requests, lost] = [load.counts.requests - before.requests, load.counts.lost - before.lost];
    steps.push({ name, requests, lost, seconds });
    say(`${name}: ${requests} requests, ${lost} lost, ${seconds.toFixed(0)} s`);
  };
  /** Waits until both proxies, all their workers, serve nothing but this release. */
  const untilServed = async (release: string): Promise<void> => {
    for (const running of proxies) {
      const url = await metricsOf(running);
      await until(async () => {
        const served = [...(await scrape(url)).keys()].filter((series) => series.startsWith('boundaries_release_info'));
        return served.length === 1 && served[0]?.includes(`release="${release}"`) === true;
      }, `${release} is not served`);
    }
  };
  const generator = async (...args: string[]): Promise<void> => {
    const { status, text } = await runProgram(process.execPath, [GENERATOR, ...args, '--out', output, '--quiet']);
    assert.equal(status, 0, text);
  };
  const upload = async (...args: string[]): Promise<void> => {
    const { status, text } = await runProgram('sh', [UPLOAD, output, bucket, ...args], {
      env: { ...process.env, GRACE: '1' },
    });
    assert.equal(status, 0, text);
  };

  await step('nothing happens', () => setTimeout(2000));
  for (const release of QUARTERS.slice(1))
    await step(`release ${release} by the timer's script`, async () => {
      await publish(release);
      await untilServed(release);
    });
  for (const i of [0, 1])
    await step(`restart of proxy ${i + 1}`, async () => {
      assert.deepEqual(await proxy(i).stop(), [0, null]);
      proxies[i] = await start(i);
    });
  await step('a worker is killed', async () => {
    const [worker = assert.fail()] = workersOf(proxy(0).child);
    process.kill(worker, 'SIGKILL');
    await proxy(0).says(/starting a replacement/);
  });
  await step('proxy 2 is killed, and started again', async () => {
    await proxy(1).stop('SIGKILL');
    proxies[1] = await start(1);
  });
  await step('the way back to r3, signed anew', async () => {
    await generator('activate', 'r3', '--sign-key', key, '--workers', '0');
    await upload();
    await untilServed('r3');
  });
  await step('forward again to r4', async () => {
    await generator('activate', 'r4', '--sign-key', key, '--workers', '0');
    await upload();
    await untilServed('r4');
  });
  await step('prune to one release, there and in the bucket', async () => {
    await generator('prune', '--keep', '1', '--grace', '1s');
    await upload('--drop', '--delete');
  });
  await step('the host of proxy 1 is down for five seconds', async () => {
    host.fault = (_req, res) => Boolean(res.destroy());
    await setTimeout(5000);
    host.fault = undefined;
  });
  await step('a damaged file, which verify names and a copy replaces', async () => {
    // Of a geometry that nobody has asked for yet: what is in memory is answered all the same.
    const file = featureFilePath(2, 0, 'medium');
    const path = join(bucket, releasePath('r4'), file);
    const intact = join(output, releasePath('r4'), file);
    const bytes = readFileSync(path);
    // Replaced, as a bucket does: written in place it would be another fault for each reader.
    writeFileSync(
      `${path}.new`,
      bytes.map((byte, i) => (i < bytes.length / 2 ? byte : byte ^ 1)),
    );
    renameSync(`${path}.new`, path);
    const before = load.counts.lost;
    load.more = 'geometry=medium';
    await until(() => load.counts.lost > before, 'nobody met the damaged file');
    const { status, text } = await run('verify');
    assert.equal(status, 11, text);
    assert.ok(text.includes(file), text);
    copyFileSync(intact, `${path}.new`);
    renameSync(`${path}.new`, path);
    assert.equal((await run('verify')).status, 0);
  });
  const leaked = { authorization: `Bearer ${await token({ sub: 'partner-b' })}` };
  const statusOfLeaked = async (): Promise<number> =>
    (await fetch(`${front.url}/api/v1/fc/lv0`, { headers: leaked })).status;
  assert.equal(await statusOfLeaked(), 200);
  await step('a leaked token is withdrawn', async () => {
    appendFileSync(denied, 'partner-b\n');
    const isRefused = async (): Promise<boolean> =>
      (await Promise.all(Array.from({ length: 6 }, statusOfLeaked))).every((status) => status === 401);
    await until(isRefused, 'the token is still accepted');
  });
  const { release, hosted } = currentFromJson(readFileSync(join(bucket, CURRENT_PATH), 'utf8'), CURRENT_PATH);
  assert.deepEqual([release, hosted], ['r4', ['r4']]);
  await load.stop();
  for (const [what, times] of load.wrong) say(`lost: ${times} times ${what}`);
  for (const running of proxies) await running.stop();
  rmSync(bucket, { recursive: true });
  return steps;
}

/** Requests of each kind, in turn: a page, a box, a point, a search, and a walk over all districts. */
function startLoad(url: string, bearer: string) {
  const headers = { authorization: `Bearer ${bearer}` };
  const counts = { requests: 0, lost: 0 };
  const load = {
    counts,
    wrong: new Map<string, number>(),
    /** A parameter of boxes that are asked for besides. */
    more: '',
    async stop() {
      isStopped = true;
      await Promise.all(clients);
    },
  };
  let isStopped = false;
  const ask = async (path: string): Promise<string | undefined> => {
    counts.requests++;
    try {
      const response = await fetch(new URL(path, url), { headers });
      const body = await response.text();
      if (response.status === 200 && body !== '')
        return /<([^>]+)>; rel="?next/.exec(response.headers.get('link') ?? '')?.[1];
      throw new Error(`${response.status} ${/"code":"([^"]*)"/.exec(body)?.[1] ?? ''} of ${path.split(/[?]/)[0]}`);
    } catch (error) {
      counts.lost++;
      const what = error instanceof Error ? error.message : String(error);
      load.wrong.set(what, (load.wrong.get(what) ?? 0) + 1);
      return undefined;
    }
  };
  const client = async (_: unknown, number: number): Promise<void> => {
    for (let round = 0; !isStopped; round++) {
      // Boxes that nobody has asked for: their features are read, and not remembered.
      const corner = `${10 + number + round / 1e5},${4 + round / 1e5}`;
      const box = `/api/v1/fc/lv2?bbox=0,0,${corner}`;
      const others = ['/api/v1/fc/lv0', '/api/v1/at?point=0.5,3.5', '/api/v1/search?q=al'];
      for (const path of [box, ...others, ...(load.more === '' ? [] : [`${box}&${load.more}`])]) {
        await ask(path);
        await setTimeout(PAUSE_MS);
      }
      let next: string | undefined = '/api/v1/fc/lv2?page-size=1';
      while (next !== undefined && !isStopped) {
        next = await ask(next);
        await setTimeout(PAUSE_MS);
      }
    }
  };
  const clients = Array.from({ length: CLIENTS }, client);
  return load;
}
