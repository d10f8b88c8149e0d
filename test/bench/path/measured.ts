// The process that bench:path measures: the request path by itself, what it allocates over HTTP, and loading. Compiled and
// started by path.ts; its argument is a JSON file, its output one line of JSON.
import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { LEVELS } from '../../../format/levels.ts';
import { directoryOrigin } from '../../../proxy/origin/directory.ts';
import { loadLevel, loadRelease, readDescription } from '../../../proxy/releases/load-release.ts';
import type { Plan } from '../load/paced.ts';
import { receive } from '../servers/service.ts';
import { bareReadingServer, bareServer, heapBytesOf, urlOf } from './heap.ts';
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

/** What was measured. */
export interface PathFigures {
  hashUs: number;
  /** Of each case, in their order. */
  us: number[];
  /** Bytes of heap for each request: the proxy's and the control's. */
  hotHeap: { proxy: number; control: number };
  sliceHeap: { proxy: number; control: number };
  /** Milliseconds: the slowest level, and all. */
  largestLevelMs: number;
  allLevelsMs: number;
}

const HEAP_REQUESTS = 8_000;
const CONNECTIONS = 16;
const LOADS = 5;
/** The response cache stores what is asked again. */
const HOT_REQUESTS = 3;
const execute = promisify(execFile);

const plan: PathPlan = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8'));
const headers = { Authorization: plan.authorization, 'Accept-Encoding': 'gzip' };

/** Sends requests from another process. */
function load(targets: readonly string[]): (port: number, requests: number) => Promise<void> {
  return async (port, requests) => {
    const pace = { connections: CONNECTIONS, rate: 0, burst: 1, requests, offset: 0 };
    const file = `${plan.folder}/load.json`;
    writeFileSync(file, JSON.stringify({ port, headers, targets, ...pace } satisfies Plan));
    await execute(process.execPath, [plan.load, file]);
  };
}

async function pathFigures(): Promise<Pick<PathFigures, 'us' | 'hashUs'>> {
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

async function heapFigures(): Promise<Pick<PathFigures, 'hotHeap' | 'sliceHeap'>> {
  const hot = await proxyParts(plan.proxy);
  const hotSample = await receive((await urlOf(hot.server)) + plan.hot, headers);
  const slices = await proxyParts(plan.proxy);
  const sliceSample = await receive((await urlOf(slices.server)) + plan.slices[0], headers);
  const bytes = async (server: Parameters<typeof heapBytesOf>[0], targets: readonly string[]): Promise<number> =>
    await heapBytesOf(server, load(targets), HEAP_REQUESTS);
  return {
    hotHeap: {
      proxy: await bytes(hot.server, [plan.hot]),
      control: await bytes(bareServer(hotSample), [plan.hot]),
    },
    sliceHeap: {
      proxy: await bytes(slices.server, plan.slices),
      control: await bytes(bareReadingServer(sliceSample, plan.file), plan.slices),
    },
  };
}

async function loadFigures(): Promise<Pick<PathFigures, 'largestLevelMs' | 'allLevelsMs'>> {
  const origin = directoryOrigin(plan.proxy.out);
  const description = await readDescription(origin, plan.release);
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

const figures: PathFigures = { ...(await loadFigures()), ...(await pathFigures()), ...(await heapFigures()) };
console.log(JSON.stringify(figures));
process.exit(0);
