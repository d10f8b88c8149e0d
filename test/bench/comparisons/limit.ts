// The proxy beside the limit, or beside another version of itself: the most requests a second that each answers, asked
// by wrk on a core that the server does not use, where there is one.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { decodeCells } from '../../../format/cells.ts';
import { elementAt } from '../../../format/element-at.ts';
import { cellsPath, featureFilePath } from '../../../format/layout.ts';
import { compile } from '../../support/processes/compile.ts';
import { type Figures, outputOf, type Row } from '../measure/measure.ts';
import type { MeasuredRelease } from '../requests/measured-release.ts';
import { QUESTIONS, type Question, type QuestionName } from '../requests/questions.ts';
import { largestLevel, type Target } from '../requests/targets.ts';
import type { LimitPlan } from '../servers/limit.ts';
import {
  answersTo,
  headersOf,
  type Machine,
  onCore,
  type Server,
  type Service,
  startNode,
} from '../servers/servers.ts';

export interface Bench {
  service: Service;
  release: MeasuredRelease;
  machine: Machine;
  folder: string;
  /** Bursts of one second of proxy and control in turn. */
  bursts: number;
  /** A checkout of the version before, which is the control in place of the limit. */
  before: string | undefined;
}

/** Real answers whose lengths the limit's are. */
const SAMPLED = 500;
const WARM_UP_SECONDS = 2;
const CONNECTIONS = 16;
const SCRIPT = fileURLToPath(new URL('load.lua', import.meta.url));
const BARE = 'the limit: a bare Node server, same headers, ';
const WORK: Readonly<Record<Question['kind'], string>> = {
  memory: `${BARE}body from memory`,
  slice: `${BARE}one pread of the same size at a random place and its CRC-32, before it for points that of a cell`,
  page: `${BARE}open, read, close and SHA-256 of a random page`,
};

/** Requests a second. @throws Error when an answer fails */
export async function compareWithControl(bench: Bench, name: QuestionName): Promise<Row> {
  const { service, release, folder, bursts, before } = bench;
  const { kind, goal, list } = QUESTIONS[name];
  const { what, targets } = list(release);
  const asked = join(folder, 'targets');
  writeFileSync(asked, targets.map(({ path }) => `${path}\n`).join(''));
  const [proxy, control] = await Promise.all([
    service.start(release.out),
    before === undefined ? startLimit(bench, name, targets) : service.start(release.out, before),
  ]);
  // Goes on where the last measurement ended, so that no request comes again before all others.
  let next = 0;
  const peakOf = async (url: string, seconds = 1): Promise<number> => {
    const headers = Object.entries(service.headers).flatMap(([field, value]) => ['-H', `${field}: ${value}`]);
    const options = ['-t1', `-c${CONNECTIONS}`, `-d${seconds}s`, '-s', SCRIPT, ...headers, url];
    const [command, args] = onCore(bench.machine.loadCore, 'wrk', [...options, '--', asked, String(next)]);
    const output = await outputOf(command, args);
    const figures = JSON.parse(/^\{"requests".*\}$/m.exec(output)?.[0] ?? '{}');
    if (!(figures.requests > 0) || figures.refused + figures.broken > 0) throw new Error(`${url}: wrk says ${output}`);
    next = (next + figures.requests + CONNECTIONS) % targets.length;
    return figures.requests / figures.seconds;
  };
  try {
    for (const { url } of [proxy, control]) await peakOf(url, WARM_UP_SECONDS);
    const figures: Figures = [];
    for (let burst = 0; burst < bursts; burst++)
      figures.push({ subject: await peakOf(proxy.url), control: await peakOf(control.url) });
    console.error(what);
    const against =
      before === undefined ? { control: WORK[kind], target: goal } : { control: before, target: '>= 0.95' };
    return { what, unit: 'requests/s', figures, ...against };
  } finally {
    await Promise.all([proxy.stop(), control.stop()]);
  }
}

async function startLimit(bench: Bench, name: QuestionName, targets: readonly Target[]): Promise<Server> {
  const plan = join(bench.folder, 'limit.json');
  writeFileSync(plan, JSON.stringify(await limitPlanOf(bench, name, targets)));
  return startNode(bench.machine, [compile('test/bench/servers/limit.ts'), plan]);
}

/** What the limit does for a question, with headers and lengths of real answers. */
async function limitPlanOf(
  { service, release }: Bench,
  name: QuestionName,
  targets: readonly Target[],
): Promise<LimitPlan> {
  const { kind } = QUESTIONS[name];
  const paths = targets.slice(0, SAMPLED).map(({ path }) => path);
  const proxy = await service.start(release.out);
  const answers = await answersTo(proxy.url, paths, service.headers).finally(() => proxy.stop());
  const sizes = answers.map(({ body }) => body.length);
  const headers = headersOf(elementAt(answers, 0));
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
    case 'page':
      return { kind, headers, pages: [...new Set(targets.flatMap(({ page = [] }) => page))] };
  }
}

/** Where a point of the largest level is looked up, and how many bytes are read there on average. */
function meanCell(release: MeasuredRelease): { bytes: number; file: string } {
  const file = join(release.out, release.path, cellsPath(largestLevel(release).level));
  const { arrays, bytes, fileBytes } = decodeCells(readFileSync(file), file);
  return { file, bytes: Math.ceil((fileBytes - bytes) / arrays.key.length) };
}

function featureFiles(release: MeasuredRelease): string[] {
  const folder = dirname(join(release.out, release.path, featureFilePath(largestLevel(release).level, 0)));
  return readdirSync(folder).map((name) => join(folder, name));
}
