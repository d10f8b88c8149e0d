// The process that bench:path measures: the request path by itself, what it allocates over HTTP, and loading.
// Compiled and started by path.ts; its arguments are a JSON file and what to measure, its output is one line of JSON.
import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { RELEASE_FILE, releasePath } from '../../../format/layout.ts';
import { LEVELS } from '../../../format/levels.ts';
import { loadLevel, loadRelease, readDescription } from '../../../proxy/data/load-release.ts';
import { directoryOrigin } from '../../../proxy/origin/directory.ts';
import { sha256Of } from '../../support/files.ts';
import type { Plan } from '../load/paced.ts';
import { type LimitPlan, limitServer } from '../servers/limit.ts';
import { type Received, receive } from '../servers/service.ts';
import { heapBytesOf, urlOf } from './heap.ts';
import { HOST, microsecondsOf, microsecondsOfHash, type PathCase } from './in-process.ts';
import { type ProxyOptions, proxyParts } from './proxy-parts.ts';

/** What to measure. */
export interface PathPlan {
  proxy: ProxyOptions;
  release: string;
  /** Value of a valid Authorization header. */
  authorization: string;
  /** The page that is in the response cache. */
  hot: string;
  cases: readonly (PathCase & { what: string })[];
  /** Targets of the slices whose allocations are measured, and a feature file of their level. */
  slices: readonly string[];
  file: string;
  /** The compiled load generator. */
  load: string;
  /** For files of this run. */
  folder: string;
}

/** What each process measures: the engine has then compiled the code for nothing else. */
export interface PathFigures {
  /** Microseconds of a SHA-256 of 16 kB, and of each case in their order. */
  path: { hashUs: number; us: number[] };
  /** Bytes of heap for each request: the proxy's and the control's. */
  'heap-hot': { proxy: number; control: number };
  'heap-slice': { proxy: number; control: number };
  /** Milliseconds: the slowest level, and all. */
  loading: { largestLevelMs: number; allLevelsMs: number };
}

const HEAP_REQUESTS = 8_000;
const CONNECTIONS = 16;
const LOADS = 5;
/** The response cache stores what is asked again. */
const HOT_REQUESTS = 3;
const execute = promisify(execFile);

const plan: PathPlan = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8'));
const headers = { Authorization: plan.authorization, 'Accept-Encoding': 'gzip' };

/** Sends requests from another process; none twice while there are others. */
function load(targets: readonly string[]): (port: number, requests: number) => Promise<void> {
  let offset = 0;
  return async (port, requests) => {
    const pace = { connections: CONNECTIONS, rate: 0, requests, offset };
    offset += requests;
    const file = `${plan.folder}/load.json`;
    writeFileSync(file, JSON.stringify({ port, headers, targets, ...pace } satisfies Plan));
    await execute(process.execPath, [plan.load, file]);
  };
}

async function pathFigures(): Promise<PathFigures['path']> {
  const parts = await proxyParts(plan.proxy);
  for (let i = 0; i < HOT_REQUESTS; i++)
    await receive((await urlOf(parts.server)) + plan.hot, { ...headers, Host: HOST });
  parts.server.close();
  const us: number[] = [];
  for (const kind of plan.cases) {
    us.push(await microsecondsOf(parts, kind));
    console.error(`${kind.what}: ${us.at(-1)?.toFixed(1)} us`);
  }
  return { us, hashUs: microsecondsOfHash() };
}

/** @param limit what the control does, from a real answer */
async function heapFigures(
  targets: readonly string[],
  limit: (answer: Received) => LimitPlan,
): Promise<PathFigures['heap-hot']> {
  const { server } = await proxyParts(plan.proxy);
  const answer = await receive((await urlOf(server)) + targets[0], headers);
  return {
    proxy: await heapBytesOf(server, load(targets), HEAP_REQUESTS),
    control: await heapBytesOf(limitServer(limit(answer)), load(targets), HEAP_REQUESTS),
  };
}

async function loadFigures(): Promise<PathFigures['loading']> {
  const origin = directoryOrigin(plan.proxy.out);
  const digest = sha256Of(join(plan.proxy.out, releasePath(plan.release), RELEASE_FILE));
  const description = await readDescription(origin, plan.release, digest);
  const ofLevels: number[] = [];
  for (const level of LEVELS) ofLevels.push(await leastMs(() => loadLevel(origin, description, level)));
  const all = await leastMs(() => loadRelease(origin, description));
  return { largestLevelMs: Math.max(...ofLevels), allLevelsMs: all };
}

async function leastMs(work: () => Promise<unknown>): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let i = 0; i < LOADS; i++) {
    const begun = performance.now();
    await work();
    least = Math.min(least, performance.now() - begun);
  }
  return least;
}

const MEASUREMENTS: { [Part in keyof PathFigures]: () => Promise<PathFigures[Part]> } = {
  path: pathFigures,
  'heap-hot': () => heapFigures([plan.hot], ({ headers, body }) => ({ kind: 'memory', headers, bytes: body.length })),
  'heap-slice': () =>
    heapFigures(plan.slices, ({ headers, body }) => ({
      kind: 'slice',
      headers,
      sizes: [body.length],
      files: [plan.file],
      lookUp: undefined,
    })),
  loading: loadFigures,
};

const [, , , part] = process.argv;
const [, measure] = Object.entries(MEASUREMENTS).find(([name]) => name === part) ?? [];
if (measure === undefined) throw new Error(`no measurement ${part}`);
console.log(JSON.stringify(await measure()));
process.exit(0);
