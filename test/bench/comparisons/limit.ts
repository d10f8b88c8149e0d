// The proxy beside the limit: requests a second at the peak, and latency at a fixed rate.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { decodeCells } from '../../../format/cells.ts';
import { cellsPath, featureFilePath } from '../../../format/layout.ts';
import { type Loads, type Pace, pacedLoad, peakOf, TargetCycle } from '../load/load.ts';
import type { Figures, Row } from '../measure/measure.ts';
import { spread } from '../measure/measure.ts';
import type { MeasuredRelease } from '../requests/measured-release.ts';
import type { Question } from '../requests/questions.ts';
import { largestLevel } from '../requests/targets.ts';
import type { LimitPlan } from '../servers/limit.ts';
import { type Server, startNode } from '../servers/servers.ts';
import { answersTo, type Service } from '../servers/service.ts';

/** What every comparison shares. */
export interface Bench {
  service: Service;
  release: MeasuredRelease;
  loads: Loads;
  /** Bursts of one second of proxy and control in turn. */
  bursts: number;
  /** Measurements of latency in turn. */
  rounds: number;
}

/** Proxy and limit, both running and warm. */
interface Pair {
  proxy: Server;
  limit: Server;
  cycle: TargetCycle;
}

/** Real answers whose lengths the limit's are. */
const SAMPLED = 500;
const WARM_UP_SECONDS = 2;
const PACED: Pace = { rate: 2_000, seconds: 4 };
const BARE = 'the limit: a bare Node server, same headers, ';
const WORK: Readonly<Record<Question['kind'], string>> = {
  memory: `${BARE}body from memory`,
  slice: `${BARE}one pread of the same size at a random place and its CRC-32, before it for points that of a cell`,
  page: `${BARE}open, read, close and SHA-256 of a random page`,
};
/** p99 in milliseconds, at the rate of PACED. */
const STEADY_GOALS: Readonly<Partial<Record<Question['name'], string>>> = {
  hot: '3 ms, stretch 2 ms',
  slice: '5 ms, stretch 2.5 ms',
};

/** Requests a second, and for some p99 at a fixed rate. @throws Error when an answer fails */
export async function compareWithLimit(bench: Bench, question: Question): Promise<Row[]> {
  return await withPair(bench, question, async (pair) => {
    const { what, kind, goal, name } = question;
    const control = WORK[kind];
    const peaks = await inTurn(bench.bursts, what, pair.proxy, pair.limit, ({ url }) =>
      peakOf(bench.loads, url, pair.cycle),
    );
    const rows: Row[] = [{ what, control, unit: 'requests/s', figures: peaks, target: goal }];
    const target = STEADY_GOALS[name];
    if (target !== undefined) {
      const paced = `${what}: p99 at 2,000/s, evenly spaced, 16 connections`;
      const figures = await inTurn(bench.rounds, paced, pair.proxy, pair.limit, async ({ url }) => {
        return (await pacedLoad(bench.loads, url, pair.cycle, PACED)).p99;
      });
      rows.push({ what: paced, control, unit: 'ms', figures, target });
    }
    return rows;
  });
}

/** The requests of a question, in turn. */
function cycleOf({ loads }: Bench, { name, targets }: Question): TargetCycle {
  const paths = targets.map(({ path }) => path);
  return new TargetCycle(paths, join(loads.folder, `${name}.targets`));
}

/** Measures a subject and its control in turn. */
async function inTurn<Subject>(
  times: number,
  what: string,
  subject: Subject,
  control: Subject,
  measure: (measured: Subject) => Promise<number>,
): Promise<Figures> {
  const figures: Figures = [];
  for (let i = 0; i < times; i++) figures.push({ subject: await measure(subject), control: await measure(control) });
  report(what, figures);
  return figures;
}

function report(what: string, figures: Figures): void {
  const subject = spread(figures.map((figure) => figure.subject)).median;
  const control = spread(figures.map((figure) => figure.control)).median;
  console.error(`${what}: ${subject.toPrecision(4)} beside ${control.toPrecision(4)}`);
}

/** Runs a comparison with servers that are warm. */
async function withPair<Result>(
  bench: Bench,
  question: Question,
  compare: (pair: Pair) => Promise<Result>,
): Promise<Result> {
  const plan = await limitPlanOf(bench, question);
  const [proxy, limit] = await Promise.all([bench.service.start(bench.release.out), startLimit(bench, plan)]);
  try {
    const cycle = cycleOf(bench, question);
    for (const { url } of [proxy, limit]) await peakOf(bench.loads, url, cycle, WARM_UP_SECONDS);
    return await compare({ proxy, limit, cycle });
  } finally {
    await Promise.all([proxy.stop(), limit.stop()]);
  }
}

function startLimit({ service, loads }: Bench, plan: LimitPlan): Promise<Server> {
  const file = join(loads.folder, 'limit.json');
  writeFileSync(file, JSON.stringify(plan));
  return startNode(loads.machine, [service.program('test/bench/servers/limit-server.ts'), file]);
}

/** What the limit does for a question, with headers and lengths of real answers. */
async function limitPlanOf({ service, release }: Bench, { kind, name, targets }: Question): Promise<LimitPlan> {
  const paths = targets.slice(0, SAMPLED).map(({ path }) => path);
  const proxy = await service.start(release.out);
  const answers = await answersTo(proxy.url, paths, service.headers('gzip')).finally(() => proxy.stop());
  const sizes = answers.map(({ body }) => body.length);
  const [{ headers } = { headers: [] }] = answers;
  switch (kind) {
    case 'memory':
      return { kind, headers, bytes: sizes[0] ?? 0 };
    case 'slice':
      return {
        kind,
        headers,
        sizes,
        files: featureFiles(release),
        lookUp: name === 'point' ? meanCell(release) : undefined,
      };
    case 'page': {
      const pages = new Map(targets.flatMap(({ page }) => (page === undefined ? [] : [[page.file, page] as const])));
      return {
        kind,
        headers,
        pages: [...pages.values()].map((page) => ({ ...page, file: join(release.out, page.file) })),
      };
    }
  }
}

/** Where a point of the largest level is looked up, and how many bytes are read there on average. */
function meanCell(release: MeasuredRelease): { bytes: number; file: string } {
  const file = join(release.out, release.path, cellsPath(largestLevel(release).level));
  const { arrays, bytes, fileBytes } = decodeCells(readFileSync(file), file);
  return { file, bytes: Math.ceil((fileBytes - bytes) / arrays.key.length) };
}

/** The feature files of the largest level. */
function featureFiles(release: MeasuredRelease): string[] {
  const folder = dirname(join(release.out, release.path, featureFilePath(largestLevel(release).level, 0)));
  return readdirSync(folder).map((name) => join(folder, name));
}
