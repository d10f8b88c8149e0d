// What requests cost in a Worker, by kind: reads of the bucket and their bytes, CPU and memory, of the first one in a
// new isolate and of twenty others after it. Run as `npm run bench:worker`. The Worker is the example in workerd, its
// bucket a folder. With --files it prints what the first search reads, file by file.
import { readdirSync, readFileSync } from 'node:fs';
import yargs from 'yargs';
import { hideBin } from 'yargs/helpers';
import { levelName } from '../../format/levels.ts';
import { send } from '../support/http/http-client.ts';
import { AUTHORIZED } from '../support/http/in-process-proxy.ts';
import { type RunningBucket, startR2 } from '../support/http/r2-server.ts';
import { startWorker } from '../support/processes/workerd.ts';
import { spread } from './measure/measure.ts';
import { RELEASE_OPTIONS, releaseToMeasure } from './requests/measured-release.ts';
import {
  hierarchiesAtPoints,
  largestLevel,
  searchesByName,
  singleUnits,
  slicesAtRandomFids,
  type TargetList,
  tilesAtUnits,
} from './requests/targets.ts';

const values = yargs(hideBin(process.argv))
  .usage('npm run bench:worker -- [options]')
  .options({
    ...RELEASE_OPTIONS,
    rows: { type: 'string', default: '', describe: 'only rows with this text' },
    files: { type: 'boolean', default: false, describe: 'print the files that the first request reads' },
  })
  .strict()
  .parseSync();

/** Requests after the first one, each for something else. */
const FURTHER = 20;
const NS_PER_MS = 1e6;
const KB_PER_MB = 1000;
const BYTES_PER_MB = 1e6;

/** What a request cost. */
interface Cost {
  gets: number;
  bytes: number;
  cpuMs: number;
}

const release = await releaseToMeasure(values);
const all = largestLevel(release);
const deepest = release.about.levels[all.level]?.tiles?.maxzoom;
const lists: TargetList[] = [
  slicesAtRandomFids(all, 'geojsonl', 10, FURTHER + 1),
  singleUnits(release, FURTHER + 1),
  hierarchiesAtPoints(all),
  searchesByName(release),
  ...(deepest === undefined ? [] : [tilesAtUnits(all, deepest)]),
].filter(({ what }) => what.includes(values.rows));

console.log(`${release.about.levels.reduce((sum, { features }) => sum + features, 0)} units`);
console.log('| | status | reads | MB | CPU ms | then: reads, most | kB, most | CPU ms | memory, MB |');
for (const { what, targets } of lists) {
  const bucket = await startR2(release.out);
  const worker = await startWorker({ r2Port: bucket.port, vars: {} });
  const asked = targets.slice(0, FURTHER + 1);
  // The release is known, and none of its levels.
  await send(worker, '/api/v1/', AUTHORIZED);
  const idle = memoryOf(worker.pid);
  const statuses = new Set<number>();
  const costs: Cost[] = [];
  for (const { path } of asked) {
    const [cpu, before] = [cpuOf(worker.pid), bucket.asked.length];
    const { status } = await send(worker, path, { ...AUTHORIZED, 'accept-encoding': 'gzip' });
    statuses.add(status);
    costs.push({ ...readsSince(bucket, before), cpuMs: cpuOf(worker.pid) - cpu });
    if (values.files && costs.length === 1) printFiles(bucket, before);
  }
  const [first, ...further] = costs;
  if (first === undefined) continue;
  const [gets, bytes, cpu] = [
    further.map((cost) => cost.gets),
    further.map((cost) => cost.bytes / KB_PER_MB),
    further.map((cost) => cost.cpuMs),
  ].map((figures) => spread(figures));
  const cells = [
    what,
    [...statuses].join(),
    first.gets,
    (first.bytes / BYTES_PER_MB).toFixed(2),
    first.cpuMs.toFixed(0),
    `${gets?.median}, ${gets?.greatest}`,
    `${bytes?.median.toFixed(0)}, ${bytes?.greatest.toFixed(0)}`,
    cpu?.median.toFixed(1),
    (memoryOf(worker.pid) - idle).toFixed(0),
  ];
  console.log(`| ${cells.join(' | ')} |`);
  process.kill(worker.pid, 'SIGKILL');
}
process.exit(0);

/** What was read of the bucket, but for looks at current.json, which come after a response. */
function readsSince({ asked }: RunningBucket, before: number): Pick<Cost, 'gets' | 'bytes'> {
  const own = asked.slice(before).filter(({ key }) => key !== 'current.json');
  return { gets: own.length, bytes: own.reduce((sum, { bytes }) => sum + bytes, 0) };
}

function printFiles({ asked }: RunningBucket, before: number): void {
  const levels = release.about.levels.map(({ level }) => levelName(level));
  for (const level of levels)
    for (const { key, bytes } of asked.slice(before).filter(({ key }) => key.includes(`/${level}/`)))
      console.log(`  ${key.slice(key.indexOf(level)).padEnd(32)}${bytes.toLocaleString('en').padStart(12)}`);
}

/** Milliseconds on a processor of all threads of a process, as Linux counts them. */
function cpuOf(pid: number): number {
  const tasks = readdirSync(`/proc/${pid}/task`);
  const ns = tasks.map((task) => Number(readFileSync(`/proc/${pid}/task/${task}/schedstat`, 'utf8').split(' ', 1)[0]));
  return ns.reduce((sum, own) => sum + own, 0) / NS_PER_MS;
}

/** The resident memory of a process in MB. */
function memoryOf(pid: number): number {
  const [, kB] = /^VmRSS:\s*(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kB) / KB_PER_MB;
}
