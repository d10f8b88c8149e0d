// How many requests a second the proxy answers beside bare controls that send the same bytes, how soon it starts, and
// what one huge unit costs. Run as `npm run bench:serve`; without --release it measures a synthetic release.
import { spawnSync } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SignJWT } from 'jose';
import yargs from 'yargs';
import { hideBin } from 'yargs/helpers';
import { CURRENT_PATH, manifestPath, releasePath } from '../../format/layout.ts';
import { LEVELS } from '../../format/levels.ts';
import { manifestFromJson } from '../../format/manifest.ts';
import { currentFromJson } from '../../format/release.ts';
import { valueAt } from '../../format/runs.ts';
import { build } from '../../generator/build.ts';
import { SILENT } from '../../generator/report.ts';
import { writeSynthetic } from '../../generator/synthetic.ts';
import { buildHuge, readSeconds } from './huge.ts';
import { type Load, p99Of, peakOf } from './load.ts';
import { hasProgram, printRows, type Row, secondsOf } from './measure.ts';
import { startProgram, startScript } from './servers.ts';
import { startStaticHost } from './static.ts';

const values = yargs(hideBin(process.argv))
  .usage('npm run bench:serve -- [options]\n\nNeeds wrk; nginx too for the URL origin.')
  .option('release', { type: 'string', describe: 'an output folder to serve; 20,000 synthetic units when left out' })
  .option('rounds', { type: 'number', default: 3, describe: 'how often each figure and its control are measured' })
  .option('seconds', { type: 'number', default: 4, describe: 'how long each measurement takes' })
  .option('json', { type: 'boolean', default: false, describe: 'print JSON' })
  .strict()
  .parseSync();
const { rounds } = values;
const folder = mkdtempSync(join(tmpdir(), 'bench-serve-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
const say = (line: string): void => console.error(line);
for (const program of ['wrk', 'curl']) {
  if (hasProgram(program)) continue;
  say(`${program} is not installed: nothing is measured`);
  process.exit(1);
}
const out = values.release ?? (await synthetic());
const { bytes: manifestBytes, units, last } = sizesOf(out);
const rows: Row[] = [];

/** What to ask for, see `Load`. */
type Asked = Pick<Load, 'path' | 'upTo'>;

const key = generateKeyPairSync('ed25519');
const jwks = join(folder, 'jwks.json');
writeFileSync(
  jwks,
  JSON.stringify({ keys: [{ ...key.publicKey.export({ format: 'jwk' }), kid: 'bench', alg: 'EdDSA' }] }),
);
const now = Math.floor(Date.now() / 1000);
const token = await new SignJWT({
  iss: 'https://bench.test/',
  aud: 'boundaries',
  sub: 'bench',
  iat: now,
  exp: now + 36_000,
})
  .setProtectedHeader({ alg: 'EdDSA', kid: 'bench' })
  .sign(key.privateKey);
const headers = { authorization: `Bearer ${token}`, 'accept-encoding': 'gzip' };

// As the package has it: what people deploy.
await secondsOf(process.execPath, ['.package/build.js']);

function serve(origin: string) {
  const options = ['--jwks', jwks, '--issuer', 'https://bench.test/', '--audience', 'boundaries', '--no-access-log'];
  return startProgram(['dist/proxy/main.js', 'serve', '--origin', origin, '--port', '0', ...options]);
}

const starts = [];
let resident = 0;
for (let round = 0; round < rounds; round++) {
  const subject = await serve(out);
  resident = subject.memory().most;
  await subject.stop();
  starts.push({ subject: subject.startSeconds, control: await emptyStart() });
}
rows.push({
  what: `proxy start: ${units.toLocaleString('en')} units, ${(manifestBytes / 1e6).toFixed(1)} MB of manifests, then ${Math.round(resident)} MB resident`,
  control: 'Node that starts a server of two lines',
  unit: 's',
  figures: starts,
  target: 'at most 1 s and 250 MB with 400,000 units',
});

const PAGE = '/api/v1/fc/lv3';
const SLICE = { path: '/api/v1/geojsonl/lv5?page-size=10&start-at=', upTo: last };
const proxy = await serve(out);
await compare(
  'whole page (fc/lv3), verified token, directory origin',
  proxy.url,
  { path: PAGE },
  '>= 0.75, stretch 0.9',
);
await compare(
  'slice (page-size=10 at a random fid of geojsonl/lv5), gzip, first seconds after start',
  proxy.url,
  SLICE,
  'none',
  1,
);
say('cutting every feature of lv5 once');
await walk(proxy.url);
await compare('slice, the same, once every feature has been cut', proxy.url, SLICE, '>= 0.4, stretch 0.7');
say(`proxy resident after all that: ${Math.round(proxy.memory().most)} MB at most`);
await proxy.stop();

const host = await startStaticHost(out, folder);
if (host) {
  const remote = await serve(host.url);
  const forward = await startScript('test/bench/forward.ts', [host.url]);
  const figures = [];
  for (let round = 0; round < rounds; round++) {
    const control = await peakOf({ ...loadOn(forward.url, { path: host.pagePath }), headers: {} });
    figures.push({ subject: await peakOf(loadOn(remote.url, { path: PAGE })), control });
  }
  const what = 'whole page (fc/lv3), URL origin';
  rows.push({
    what,
    control: 'bare http-proxy before the same nginx',
    unit: 'requests/s',
    figures,
    target: '>= 0.9, stretch 1.5',
  });
  await Promise.all([remote.stop(), forward.stop(), host.stop()]);
} else {
  say('nginx is not installed (Debian: nginx-light): the URL origin is not measured');
}
await measureHuge();
printRows(rows, values.json);
process.exit();

/** Measures the proxy against a bare server that sends a body of the same size, and both at half of the lower peak. */
async function compare(what: string, url: string, asked: Asked, target: string, times = rounds): Promise<void> {
  const samples = Array.from({ length: 40 }, () => bodyOf(url + asked.path + (asked.upTo ? randomTo(asked.upTo) : '')));
  const middle = (await Promise.all(samples)).toSorted((a, b) => a.length - b.length)[20] ?? Buffer.alloc(0);
  const file = join(folder, 'body');
  writeFileSync(file, middle);
  const control = await startScript('test/bench/control.ts', [file]);
  const figures = [];
  const tails = [];
  for (let round = 0; round < times; round++) {
    const subject = await peakOf(loadOn(url, asked));
    const bare = await peakOf(loadOn(control.url, asked));
    figures.push({ subject, control: bare });
    const half = Math.floor(Math.min(bare, subject) / 2);
    tails.push({
      subject: await p99Of(loadOn(url, asked), half),
      control: await p99Of(loadOn(control.url, asked), half),
    });
    say(`${what}: ${Math.round(subject)} beside ${Math.round(bare)} requests/s`);
  }
  const bytes = `${middle.length.toLocaleString('en')} bytes`;
  rows.push({ what, control: `bare Node server sending ${bytes} from memory`, unit: 'requests/s', figures, target });
  rows.push({
    what: `${what}: p99 at half of the peak`,
    control: 'the same, at the same rate',
    unit: 'ms',
    figures: tails,
    target: '<= 2, stretch 1.2',
  });
  await control.stop();
}

function loadOn(url: string, asked: Asked): Load {
  return { url, ...asked, headers, seconds: values.seconds, folder };
}

/** Asks for all of lv5 in small slices. */
async function walk(url: string): Promise<void> {
  for (let fid = 0; fid <= last; fid += 10) await drain(await fetch(`${url}${SLICE.path}${fid}`, { headers }));
}

async function drain(answer: Response): Promise<void> {
  if (!answer.ok) throw new Error(`${answer.url}: ${answer.status}`);
  await answer.arrayBuffer();
}

/** A unit of 100 MB of text as a slice, beside reading its compressed bytes. */
async function measureHuge(): Promise<void> {
  const huge = await buildHuge(folder);
  const server = await serve(huge);
  const figures = [];
  const bytes = await download(`${server.url}/api/v1/fc/lv0?gid-0=HUGE`);
  for (let round = 0; round < 3 * rounds; round++) {
    const control = readSeconds(huge);
    const started = performance.now();
    await download(`${server.url}/api/v1/fc/lv0?gid-0=HUGE`);
    figures.push({ subject: (performance.now() - started) / 1000, control });
  }
  const { most } = server.memory();
  const what = `a unit of 100 MB of text as a slice (${(bytes / 1e6).toFixed(1)} MB gzipped; proxy at most ${Math.round(most)} MB resident)`;
  rows.push({
    what,
    control: 'reading its compressed bytes from disk',
    unit: 's',
    figures,
    target: '<= 2, memory bounded',
  });
  await server.stop();
}

async function bodyOf(url: string): Promise<Buffer> {
  // What stands on the wire: fetch would inflate it.
  const curl = spawnSync(
    'curl',
    ['-sf', '-H', `Authorization: ${headers.authorization}`, '-H', 'Accept-Encoding: gzip', url],
    { maxBuffer: 2 ** 30 },
  );
  if (curl.status !== 0) throw new Error(`${url}: curl exited with ${curl.status}`);
  return curl.stdout;
}

/** The bytes of an answer as they come, over a kept connection; nothing is inflated. */
function download(url: string): Promise<number> {
  return new Promise((resolve, reject) => {
    get(url, { headers }, (answer) => {
      let bytes = 0;
      answer.on('data', (piece: Buffer) => (bytes += piece.length));
      answer.on('end', () => resolve(bytes)).on('error', reject);
    }).on('error', reject);
  });
}

function sizesOf(folder: string): { bytes: number; units: number; last: number } {
  const { release } = currentFromJson(readFileSync(join(folder, CURRENT_PATH), 'utf8'), CURRENT_PATH);
  const manifests = LEVELS.map((level) =>
    readFileSync(join(folder, releasePath(release), manifestPath(level)), 'utf8'),
  );
  const parsed = manifests.map((text) => manifestFromJson(text, 'manifest'));
  return {
    bytes: manifests.reduce((sum, text) => sum + text.length, 0),
    units: parsed.reduce((sum, { features }) => sum + features, 0),
    last: valueAt(parsed[5]?.fids ?? [], (parsed[5]?.features ?? 1) - 1) ?? 0,
  };
}

async function emptyStart(): Promise<number> {
  const program = `const server = require('http').createServer();
    server.listen(0, '127.0.0.1', () => console.log('http://127.0.0.1:' + server.address().port));`;
  const server = await startProgram(['-e', program]);
  await server.stop();
  return server.startSeconds;
}

function randomTo(most: number): number {
  return Math.floor(Math.random() * (most + 1));
}

async function synthetic(): Promise<string> {
  say('no --release: measuring a release of 20000 synthetic units');
  const source = join(folder, 'synthetic.gpkg');
  writeSynthetic(source, 20_000);
  const options = {
    source: [source],
    out: join(folder, 'output'),
    release: 'bench',
    precision: 7,
    workers: 2,
    attribution: [],
    activate: true,
  };
  await build(
    { ...options, levels: LEVELS, layers: {}, gidColumns: {}, accept: ['null-gids', 'duplicate-gids'] },
    SILENT,
  );
  return options.out;
}
