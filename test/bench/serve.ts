// How many requests a second the proxy answers beside bare controls that send the same bytes, how soon it starts, and
// what one huge unit costs. Run as `npm run bench:serve`; without --release it measures a synthetic release.
import { spawnSync } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { SignJWT } from 'jose';
import { LEVELS } from '../../format/levels.ts';
import { build } from '../../generator/build.ts';
import { SILENT } from '../../generator/report.ts';
import { writeSynthetic } from '../../generator/synthetic.ts';
import { buildHuge, readSeconds } from './huge.ts';
import { type Load, p99Of, peakOf } from './load.ts';
import { hasProgram, printRows, type Row } from './measure.ts';
import { startScript } from './servers.ts';
import { startStaticHost } from './static.ts';

const { values } = parseArgs({
  options: {
    release: { type: 'string' },
    rounds: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '4' },
    json: { type: 'boolean', default: false },
  },
});
const rounds = Number(values.rounds);
const folder = mkdtempSync(join(tmpdir(), 'bench-serve-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
const say = (line: string): void => console.error(line);
const out = values.release ?? (await synthetic());
const rows: Row[] = [];

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

function serve(origin: string) {
  const options = ['--jwks', jwks, '--issuer', 'https://bench.test/', '--audience', 'boundaries', '--no-access-log'];
  return startScript('proxy/main.ts', ['serve', '--origin', origin, '--port', '0', ...options]);
}

const proxy = await serve(out);
const start = { subject: proxy.startSeconds, control: await nodeStart() };
rows.push({
  what: 'proxy start',
  control: 'Node with the same loader, doing nothing',
  unit: 's',
  figures: [start],
  target: '<= 1 s in all',
});
say(`resident after start: ${Math.round(proxy.memory().now)} MB`);

const PAGE = '/api/v1/fc/lv3';
const LAST = await lastFid();
await compare('whole page (fc/lv3), verified token, directory origin', proxy.url, () => PAGE, '>= 0.75, stretch 0.9');
const slice = () => `/api/v1/geojsonl/lv5?page-size=10&start-at=${Math.floor(Math.random() * LAST)}`;
await compare('slice (page-size=10 at a random fid of geojsonl/lv5), gzip', proxy.url, slice, '>= 0.4, stretch 0.7');

const host = await startStaticHost(out, folder);
if (host) {
  const remote = await serve(host.url);
  const forward = await startScript('test/bench/forward.ts', [host.url]);
  const figures = [];
  for (let round = 0; round < rounds; round++) {
    const control = await peakOf(loadOn(forward.url, () => host.pagePath, {}));
    figures.push({ subject: await peakOf(loadOn(remote.url, () => PAGE)), control });
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
await proxy.stop();
await measureHuge();
printRows(rows, values.json);
process.exit();

/** Measures the proxy against a bare server that sends a body of the same size, and both at half of the lower peak. */
async function compare(what: string, url: string, path: () => string, target: string): Promise<void> {
  const sizes = await Promise.all(Array.from({ length: 40 }, () => bodyOf(url + path())));
  const middle = sizes.toSorted((a, b) => a.length - b.length)[20] ?? Buffer.alloc(0);
  const file = join(folder, 'body');
  writeFileSync(file, middle);
  const control = await startScript('test/bench/control.ts', [file]);
  const figures = [];
  const tails = [];
  for (let round = 0; round < rounds; round++) {
    const bare = await peakOf(loadOn(control.url, path));
    const subject = await peakOf(loadOn(url, path));
    figures.push({ subject, control: bare });
    const half = Math.floor(Math.min(bare, subject) / 2);
    tails.push({
      subject: await p99Of(loadOn(url, path), half),
      control: await p99Of(loadOn(control.url, path), half),
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

function loadOn(url: string, path: () => string, send: Record<string, string> = headers): Load {
  return { url, path, headers: send, seconds: Number(values.seconds), folder };
}

/** A unit of 100 MB of text as a slice, beside reading its compressed bytes. */
async function measureHuge(): Promise<void> {
  const huge = await buildHuge(folder);
  const server = await serve(huge);
  const figures = [];
  let bytes = 0;
  for (let round = 0; round < rounds; round++) {
    const control = readSeconds(huge);
    const started = performance.now();
    const answer = spawnSync(
      'curl',
      [
        '-sf',
        '-o',
        '/dev/null',
        '-w',
        '%{size_download}',
        '-H',
        `Authorization: ${headers.authorization}`,
        '-H',
        'Accept-Encoding: gzip',
        `${server.url}/api/v1/fc/lv0?gid-0=HUGE`,
      ],
      { encoding: 'utf8' },
    );
    figures.push({ subject: (performance.now() - started) / 1000, control });
    bytes = Number(answer.stdout);
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

async function lastFid(): Promise<number> {
  const { levels } = JSON.parse(
    spawnSync('sh', ['-c', `cat ${out}/releases/*/release.json`], { encoding: 'utf8' }).stdout,
  );
  return levels[5].features;
}

async function nodeStart(): Promise<number> {
  const file = join(folder, 'empty');
  writeFileSync(file, 'x');
  const server = await startScript('test/bench/control.ts', [file]);
  await server.stop();
  return server.startSeconds;
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
  if (!hasProgram('curl')) throw new Error('curl is needed');
  return options.out;
}
