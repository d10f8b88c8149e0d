// Load on a server of this machine: as much as it takes, by wrk where that is installed, or a fixed rate, by autocannon.
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import autocannon from 'autocannon';
import { hasProgram } from './measure.ts';

/** What to ask of whom. */
export interface Load {
  url: string;
  /** Called for each of the requests that are sent again and again. */
  path: () => string;
  headers: Readonly<Record<string, string>>;
  seconds: number;
  /** A folder for scripts. */
  folder: string;
}

const CONNECTIONS = 32;
const DIFFERENT_REQUESTS = 1000;

/** The most requests a second that the server answers. @throws Error where an answer is no success */
export async function peakOf(load: Load): Promise<number> {
  if (!hasProgram('wrk')) return (await cannon(load)).requests.average;
  const script = join(load.folder, 'requests.lua');
  const requests = requestsOf(load).map(({ path }) => `wrk.format("GET", "${path}")`);
  const headers = Object.entries(load.headers).map(([name, value]) => `wrk.headers["${name}"] = "${value}"`);
  writeFileSync(
    script,
    `${headers.join('\n')}\nlocal i = 0\nlocal all\ninit = function() all = { ${requests.join(', ')} } end\n` +
      'request = function() i = i % #all + 1 return all[i] end\n',
  );
  const args = ['-t1', `-c${CONNECTIONS}`, `-d${load.seconds}s`, '-s', script, load.url];
  const { stdout } = spawnSync('wrk', args, { encoding: 'utf8' });
  const rate = Number(/Requests\/sec:\s+([\d.]+)/.exec(stdout)?.[1]);
  if (!(rate > 0) || /Non-2xx|Socket errors/.test(stdout)) throw new Error(`${load.url}: ${stdout}`);
  return rate;
}

/** The 99th percentile of latency at a fixed rate, in milliseconds. */
export async function p99Of(load: Load, rate: number): Promise<number> {
  return (await cannon({ ...load, rate })).latency.p99;
}

async function cannon(load: Load & { rate?: number }): Promise<autocannon.Result> {
  const requests = requestsOf(load).map(({ path }) => ({ path, headers: { ...load.headers } }));
  const options = { url: load.url, connections: CONNECTIONS, duration: load.seconds, requests };
  const result = await autocannon(load.rate === undefined ? options : { ...options, overallRate: load.rate });
  if (result.non2xx > 0 || result.errors > 0)
    throw new Error(`${load.url}: ${result.non2xx + result.errors} answers were no success`);
  return result;
}

function requestsOf(load: Load): { path: string }[] {
  return Array.from({ length: DIFFERENT_REQUESTS }, () => ({ path: load.path() }));
}
