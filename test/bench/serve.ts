// Requests a second of the proxy, asked by wrk on a core that the server does not use, beside a bare Node server that
// sends the same answers from memory. Run as `npm run bench:serve`. With --before FOLDER, a checkout of another version
// that is set up, it measures that in place of the bare server.
import { cpSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import yargs from 'yargs';
import { hideBin } from 'yargs/helpers';
import { elementAt } from '../../format/element-at.ts';
import { type Answer, send } from '../support/http/http-client.ts';
import { AUTHORIZED } from '../support/http/in-process-proxy.ts';
import { listen } from '../support/http/listen.ts';
import { type Figures, folderOfRun, hasProgram, outputOf, printRow } from './measure.ts';
import { RELEASE_OPTIONS, releaseToMeasure } from './measured-release.ts';
import { chosenOf, type Question, questionsOf } from './questions.ts';
import { asClient, asServer, startProxy } from './servers.ts';

/** The file system in memory that most Linux systems have. */
const MEMORY = '/dev/shm';
const HEADERS = { ...AUTHORIZED, 'accept-encoding': 'gzip' };
const WARM_UP_SECONDS = 2;
const CONNECTIONS = 16;
/** Answers that the bare server sends. */
const RECORDED = 500;
/** Headers that node:http writes by itself. */
const OWN_HEADERS = ['date', 'connection', 'keep-alive'];
/** Of fewer requests in turn the response cache has some. */
const FEW = 10_000;
const ROWS = ['hot', 'unit', 'slice', 'fc', 'page', 'point', 'at', 'search'];

const { before, bursts, only, ...choice } = yargs(hideBin(process.argv))
  .usage('npm run bench:serve -- [options]\n\nNeeds wrk.')
  .options(RELEASE_OPTIONS)
  .option('only', { type: 'string', array: true, default: ROWS, describe: 'questions to measure' })
  .option('before', { type: 'string', describe: 'a checkout of the version before, which is the control' })
  .option('bursts', { type: 'number', default: 9, describe: 'bursts of one second, of proxy and control in turn' })
  .strict()
  .parseSync();
if (!hasProgram('wrk')) throw new Error('wrk is not installed (Debian: wrk)');
const folder = folderOfRun();
const stored = await releaseToMeasure(choice);
// Some systems take out of the page cache what has not been read for seconds, and then the disk is measured.
const out = mkdtempSync(join(existsSync(MEMORY) ? MEMORY : folder, 'boundaries-bench-'));
process.once('exit', () => rmSync(out, { recursive: true, force: true }));
cpSync(stored.out, out, { recursive: true });
asServer(process.pid);
// wrk sends GET with a valid token, no Range and no tag.
for (const [name, question] of chosenOf(questionsOf(stored), only))
  if (question.method ?? question.range ?? question.status) console.error(`bench:path alone can ask for ${name}`);
  else await measure(question);
process.exit();

async function measure({ what, targets }: Question): Promise<void> {
  if (targets.length > 1 && targets.length < FEW)
    console.error(`${what}: ${targets.length} requests in turn, so the response cache may have some`);
  const file = join(folder, 'targets');
  writeFileSync(file, targets.map((target) => `${target}\n`).join(''));
  const proxy = await startProxy(out);
  const control = before === undefined ? await startBare(proxy, targets) : await startProxy(out, before);
  // Goes on where the last measurement ended, so that no request comes again before all others.
  let next = 0;
  const peakOf = async (url: string, seconds = 1): Promise<number> => {
    const fields = Object.entries(HEADERS).flatMap(([field, value]) => ['-H', `${field}: ${value}`]);
    const options = ['-t1', `-c${CONNECTIONS}`, `-d${seconds}s`, '-s', 'test/bench/load.lua', ...fields, url];
    const output = await outputOf(...asClient('wrk', [...options, '--', file, String(next)]));
    const { requests, ...figures } = JSON.parse(/^\{"requests".*\}$/m.exec(output)?.[0] ?? '{}');
    if (!(requests > 0) || figures.refused + figures.broken > 0) throw new Error(`${url}: wrk says ${output}`);
    next = (next + requests + CONNECTIONS) % targets.length;
    return requests / figures.seconds;
  };
  for (const { url } of [proxy, control]) await peakOf(url, WARM_UP_SECONDS);
  const figures: Figures = [];
  for (let burst = 0; burst < bursts; burst++)
    figures.push({ subject: await peakOf(proxy.url), control: await peakOf(control.url) });
  printRow(what, 'requests/s', before ?? 'a bare Node server that sends the same answers from memory', figures);
  await Promise.all([proxy.stop('SIGKILL'), control.stop('SIGKILL')]);
}

/** A server in this process, which has nothing else to do meanwhile. */
async function startBare(proxy: { url: string }, targets: readonly string[]) {
  const answers: Answer[] = [];
  for (const target of targets.slice(0, RECORDED)) answers.push(await send(proxy, target, HEADERS));
  const bare = answers.map(({ status, rawHeaders: raw, body }) => {
    const headers = raw.filter((_, i) => !OWN_HEADERS.includes((raw[i - (i % 2)] ?? '').toLowerCase()));
    return { status, headers, body };
  });
  let asked = 0;
  const server = createServer((_, res) => {
    const { status, headers, body } = elementAt(bare, asked++ % bare.length);
    res.writeHead(status, headers).end(body);
  });
  return { url: `http://127.0.0.1:${await listen(server)}`, stop: async () => server.closeAllConnections() };
}
