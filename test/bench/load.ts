// Load on a server of this machine, by wrk: as much as the server takes, or a fixed rate with pauses between requests.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** What to ask of whom. */
export interface Load {
  url: string;
  /** Path and query. */
  path: string;
  /** Where given, each request has another whole number from 0 to this behind its path. */
  upTo?: number;
  headers: Readonly<Record<string, string>>;
  seconds: number;
  /** A folder for scripts. */
  folder: string;
}

const PEAK_CONNECTIONS = 32;
/** More, so that pauses, which wrk knows in whole milliseconds, are several of those long. */
const RATE_CONNECTIONS = 96;

/** The most requests a second that the server answers. @throws Error where an answer is no success */
export async function peakOf(load: Load): Promise<number> {
  return rateIn(await wrk(load, PEAK_CONNECTIONS, ''));
}

/** The 99th percentile of latency in milliseconds at about this rate. @throws Error as `peakOf` does */
export async function p99Of(load: Load, rate: number): Promise<number> {
  const pauseMs = (RATE_CONNECTIONS / rate) * 1000;
  const said = await wrk(load, RATE_CONNECTIONS, `delay = function() return math.random(0, ${2 * pauseMs}) end\n`);
  const [, value, unit = ''] = /99%\s+([\d.]+)(us|ms|s)/.exec(said) ?? [];
  return Number(value) * ({ us: 0.001, ms: 1, s: 1000 }[unit] ?? Number.NaN);
}

async function wrk({ url, path, upTo, headers, seconds, folder }: Load, connections: number, more: string) {
  const target = JSON.stringify(path) + (upTo === undefined ? '' : ` .. math.random(0, ${upTo})`);
  const given = Object.entries(headers).map(([name, value]) => `wrk.headers[${JSON.stringify(name)}] = "${value}"\n`);
  const script = join(folder, 'load.lua');
  writeFileSync(
    script,
    `${given.join('')}${more}request = function() return wrk.format("GET", ${target}) end\n` +
      // Two threads of the same seed would ask for the same.
      'init = function() math.randomseed(os.time()) end\n',
  );
  const child = spawn('wrk', ['-t1', `-c${connections}`, `-d${seconds}s`, '--latency', '-s', script, url]);
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (text) => (said += text));
  await once(child, 'close');
  if (!(rateIn(said) > 0) || /Non-2xx|Socket errors/.test(said)) throw new Error(`${url}${path}: ${said}`);
  return said;
}

function rateIn(said: string): number {
  return Number(/Requests\/sec:\s+([\d.]+)/.exec(said)?.[1]);
}
