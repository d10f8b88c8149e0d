// What the request path costs in one process, beside one SHA-256 of 16 kB in the same process. Run as `npm run
// bench:path`; without options it measures 20,000 synthetic units. With --before FOLDER, a checkout of another version
// that is set up, it measures both in turn, and prints ratios. With --gate it compares with the record of path-record.json.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import yargs from 'yargs';
import { hideBin } from 'yargs/helpers';
import { elementAt } from '../../format/element-at.ts';
import { newKeyPair } from '../../proxy/auth/key-pair.ts';
import { AUDIENCE, ISSUER, JWKS, TOKEN, token } from '../support/http/in-process-proxy.ts';
import { type Figures, folderOfRun, medianRatio, spread } from './measure.ts';
import { RELEASE_OPTIONS, releaseToMeasure } from './measured-release.ts';
import type { PathCase, PathFigures, PathPlan, PathQuestion } from './path/measured.ts';
import { chosenOf, questionsOf } from './questions.ts';
import { compiledIn } from './servers.ts';

const values = yargs(hideBin(process.argv))
  .usage('npm run bench:path -- [options]')
  .options({
    ...RELEASE_OPTIONS,
    before: { type: 'string', describe: 'a checkout of the version before: print what costs more or less than there' },
    only: { type: 'string', array: true, describe: 'questions to measure' },
    gate: {
      type: 'boolean',
      describe: 'exit with 1 where a request costs 1.25 times the record of this kind of machine',
    },
    record: { type: 'boolean', describe: 'write that record' },
  })
  .strict()
  .parseSync();

const TARGETS = 20_000;
/** Batches whose minimum counts: alone, and in each of the pairs of a comparison and of the gate. */
const [BATCHES, PAIR_BATCHES, GATE_BATCHES] = [200, 20, 4];
const PAIRS = 15;
/** Of each question, before the gate measures the first one. */
const WARM_UP_BATCHES = 10;
/** How often the gate measures what costs too much, each time in another process. */
const TRIES = 3;
const LIMIT = 1.25;
/** What the gate asks: nothing that takes more than some 100 microseconds. */
const GATE_ROWS = [
  'hot',
  'unit',
  'slice',
  'fc',
  'page',
  'point',
  'at',
  'search',
  'touches',
  'tile',
  'children',
  'range',
];
const RECORD_FILE = 'test/bench/path-record.json';
/** The process that is measured, in the checkout of each version. */
const PROCESS = 'test/bench/path/measured.ts';

const folder = folderOfRun();
const release = await releaseToMeasure(values);
const all = questionsOf(release);
const only = values.only ?? (values.gate || values.record ? GATE_ROWS : Object.keys(all));
const questions = chosenOf(all, only);
const plan = await writePlan();
if (values.before !== undefined) await compare(values.before);
else if (values.gate || values.record) await passGate();
else await measure();
process.exit();

async function measure(): Promise<void> {
  const proxy = await startMeasured('.');
  const hash = await proxy.ask({ batches: BATCHES });
  console.log(`one SHA-256 of 16 kB: ${hash.us.toFixed(1)} us`);
  for (const [row, [, { what }]] of questions.entries()) {
    const { us } = await proxy.ask({ row, batches: BATCHES });
    console.log(`${what.padEnd(62)}${us.toFixed(1).padStart(9)} us  ${(us / hash.us).toFixed(2)} x SHA-256`);
  }
}

/** Measures each row in both versions in turn, and the version before beside itself: that is the noise. */
async function compare(before: string): Promise<void> {
  const [now, then, again] = [await startMeasured('.'), await startMeasured(before), await startMeasured(before)];
  for (const [row, [, { what }]] of questions.entries()) {
    const figures: Figures = [];
    const noise: Figures = [];
    for (let pair = 0; pair < PAIRS; pair++) {
      const costOf = async (proxy: Measured): Promise<number> => (await proxy.ask({ row, batches: PAIR_BATCHES })).us;
      const [subject, control] = [await costOf(now), await costOf(then)];
      figures.push({ subject, control });
      noise.push({ subject: await costOf(again), control });
    }
    const cost = spread(figures.map(({ subject }) => subject)).median.toFixed(1);
    const [ratio, alike] = [figures, noise].map((pairs) => medianRatio(pairs).toFixed(3));
    console.log(`${what.padEnd(62)}${cost.padStart(9)} us  ${ratio} x before  (before beside itself: ${alike})`);
  }
}

/** Compares each request with the record of this Node on this model of processor, or writes it. */
async function passGate(): Promise<void> {
  const kind = `${cpus()[0]?.model}, Node ${process.versions.node.split('.')[0]}`;
  const records: Record<string, Record<string, number>> = JSON.parse(readFileSync(RECORD_FILE, 'utf8'));
  const { [kind]: record = {} } = records;
  const least: Record<string, number> = {};
  const isAbove = (name: string): boolean => (least[name] ?? 0) > LIMIT * (record[name] ?? Number.POSITIVE_INFINITY);
  let left = [...questions.keys()];
  for (let attempt = 0; attempt < TRIES; attempt++) {
    const proxy = await startMeasured('.');
    for (const row of left) await proxy.ask({ row, batches: WARM_UP_BATCHES });
    for (const row of left) {
      const [name] = elementAt(questions, row);
      least[name] = Math.min(least[name] ?? Number.POSITIVE_INFINITY, await besideHash(proxy, row));
    }
    left = left.filter((row) => values.record || isAbove(elementAt(questions, row)[0]));
  }
  for (const [name, { what }] of questions) {
    const share = record[name] === undefined ? '' : `${((least[name] ?? 0) / record[name]).toFixed(2)} x the record`;
    console.log(`${what.padEnd(62)}${least[name]?.toFixed(3).padStart(9)} x SHA-256  ${share}`);
  }
  const above = Object.keys(least).filter(isAbove);
  if (values.record)
    writeFileSync(
      RECORD_FILE,
      `${JSON.stringify({ ...records, [kind]: { ...record, ...rounded(least) } }, undefined, 2)}\n`,
    );
  else if (records[kind] === undefined) console.log(`${RECORD_FILE} has no record of ${kind}`);
  else if (above.length > 0) throw new Error(`above ${LIMIT} times the record of ${kind}: ${above.join(', ')}`);
}

function rounded(figures: Record<string, number>): Record<string, number> {
  return Object.fromEntries(Object.entries(figures).map(([name, value]) => [name, Number(value.toFixed(3))]));
}

/** A request and the SHA-256 in turn: the median of the ratios of CPU times. */
async function besideHash(proxy: Measured, row: number): Promise<number> {
  const figures: Figures = [];
  for (let pair = 0; pair < PAIRS; pair++) {
    const { us: subject } = await proxy.ask({ row, batches: GATE_BATCHES, isCpu: true });
    figures.push({ subject, control: (await proxy.ask({ batches: GATE_BATCHES, isCpu: true })).us });
  }
  return medianRatio(figures);
}

/** Writes what the measured processes need. @returns its file */
async function writePlan(): Promise<string> {
  const jwks = join(folder, 'jwks.json');
  writeFileSync(jwks, JWKS);
  const { privateKey } = newKeyPair();
  const tokens = { valid: TOKEN, forged: await token({}, privateKey), expired: await token({ exp: 1 }) };
  const cases = questions.map(([, { targets, token: kind, method, status = 200, ...asked }]): PathCase => {
    const authorization = `Bearer ${tokens[kind ?? 'valid']}`;
    return { ...asked, method: method ?? 'GET', status, authorization, targets: targets.slice(0, TARGETS) };
  });
  const proxy = { out: release.out, jwks, issuer: ISSUER, audience: AUDIENCE };
  const hot = all['hot']?.targets[0] ?? '';
  const content: PathPlan = { proxy, authorization: `Bearer ${TOKEN}`, hot, cases };
  const file = join(folder, 'plan.json');
  writeFileSync(file, JSON.stringify(content));
  return file;
}

/** A process that measures. */
interface Measured {
  ask(question: PathQuestion): Promise<PathFigures>;
}

/** Compiles a checkout, and starts the process that measures it. @throws Error if that ends before it is ready */
async function startMeasured(checkout: string): Promise<Measured> {
  const module = compiledIn(checkout, PROCESS);
  const child = fork(module, [plan], { cwd: checkout, execArgv: [] });
  process.once('exit', () => child.kill());
  const ended = once(child, 'exit').then(() => {
    throw new Error(`${module} has ended`);
  });
  ended.catch(() => {});
  const next = async (): Promise<PathFigures> => (await Promise.race([once(child, 'message'), ended]))[0];
  await next();
  return {
    ask(question) {
      const answer = next();
      child.send(question);
      return answer;
    },
  };
}
