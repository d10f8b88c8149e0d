// Load on a server of this machine, by wrk: as much as the server takes, or a fixed rate with pauses between requests.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** A file of request targets, one a line; a tab and a byte range may follow one. */
export interface TargetFile {
  file: string;
  /** The lines to ask for, `first` and `last` among them, counted from 1. */
  first: number;
  last: number;
  /** `once`: each in order, and the measurement ends with the last. `again`: any of them at random, for ever. */
  order: 'once' | 'again';
}

/** What to ask whom, and for how long. */
export interface Load {
  url: string;
  targets: TargetFile;
  headers: Readonly<Record<string, string>>;
  seconds: number;
}

/** What wrk measured; field names as load.lua prints them. */
interface Measured {
  requests: number;
  seconds: number;
  /** Milliseconds. */
  p99: number;
  /** Whether every target was asked for before the time was over. */
  isExhausted: boolean;
}

const SCRIPT = fileURLToPath(new URL('load.lua', import.meta.url));
const PEAK_CONNECTIONS = 16;
/** More, so that pauses, which wrk knows in whole milliseconds, are several of those long. */
const RATE_CONNECTIONS = 96;
/** A measurement that runs out of targets counts from this part of its time on. */
const LEAST_SHARE = 0.5;

/** The most requests a second that the server answers. @throws Error when an answer fails, or the targets run out early */
export async function peakOf(load: Load): Promise<number> {
  const { requests, seconds } = await measure(load, PEAK_CONNECTIONS, 0);
  return requests / seconds;
}

/** The 99th percentile of latency in milliseconds at about `rate` requests a second. @throws Error as `peakOf` does */
export async function p99Of(load: Load, rate: number): Promise<number> {
  const pauseMs = (RATE_CONNECTIONS / rate) * 1000;
  return (await measure(load, RATE_CONNECTIONS, 2 * pauseMs)).p99;
}

async function measure(load: Load, connections: number, pauseMs: number): Promise<Measured> {
  const measured = await wrk(load, connections, pauseMs);
  if (!measured.isExhausted) return measured;
  const { first, last } = load.targets;
  const after = `all ${last - first + 1} different targets were asked for after ${measured.seconds.toFixed(1)} of ${load.seconds} s`;
  if (measured.seconds < load.seconds * LEAST_SHARE)
    throw new Error(`${after}: measure a larger release (--units) or for fewer --seconds`);
  console.error(`${after}: measured until then`);
  return measured;
}

async function wrk({ url, targets, headers, seconds }: Load, connections: number, pauseMs: number): Promise<Measured> {
  const { file, first, last, order } = targets;
  const given = Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`]);
  const options = ['-t1', `-c${connections}`, `-d${seconds}s`, '-s', SCRIPT, ...given, url];
  const child = spawn('wrk', [...options, '--', file, String(first), String(last), order, String(pauseMs)], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  let isExhausted = false;
  child.stderr.setEncoding('utf8').on('data', (text: string) => (output += text));
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
    if (isExhausted || !output.includes('exhausted\n')) return;
    isExhausted = true;
    child.kill('SIGINT');
  });
  await once(child, 'close');
  const figures = /^\{"requests".*\}$/m.exec(output)?.[0];
  if (figures === undefined) throw new Error(`wrk on ${url} failed: ${output}`);
  const { refused, broken, ...measured } = JSON.parse(figures);
  if (refused + broken > 0 || !(measured.requests > 0))
    throw new Error(`${url}: ${measured.requests} answers, ${refused} of them errors, ${broken} connections broken`);
  return { ...measured, isExhausted };
}
