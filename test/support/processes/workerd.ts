// The example for Cloudflare Workers in workerd, the runtime of Workers: bundled as wrangler does, with the
// compatibility date of its wrangler.toml.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { Socket } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { build } from 'esbuild';
import workerd from 'workerd';
import { after } from '../after.ts';
import { AUDIENCE, ISSUER, JWKS } from '../http/in-process-proxy.ts';
import { listen } from '../http/listen.ts';
import { temporaryFolder } from '../temporary-folder.ts';

const EXAMPLE = 'proxy/examples/worker';

export interface WorkerOptions {
  /** The variables of wrangler.toml that differ: texts, or values of JSON. */
  vars: Readonly<Record<string, string | boolean | object | undefined>>;
  /** Port of a server that speaks the protocol of the R2 binding; by default there is no bucket. */
  r2Port?: number;
  /** Port of a server that speaks the protocol of the Cache API; by default there is no cache. */
  cachePort?: number;
}

let bundle: Promise<string> | undefined;

/** Starts the Worker; it stops when the test file ends. */
export async function startWorker({ vars, ...ports }: WorkerOptions) {
  bundle ??= bundleExample();
  const folder = temporaryFolder();
  const jwks = createServer((_req, res) => res.end(JWKS));
  const bindings = { JWKS_URL: `http://127.0.0.1:${await listen(jwks)}/`, ISSUER, AUDIENCE, ...vars };
  writeFileSync(join(folder, 'worker.js'), await bundle);
  writeFileSync(join(folder, 'config.capnp'), config(bindings, ports));
  const args = ['serve', join(folder, 'config.capnp'), '--control-fd=3'];
  const child = spawn(workerd.default, args, { stdio: ['ignore', 'pipe', 'pipe', 'pipe'] });
  const kill = (): boolean => child.kill('SIGKILL');
  after(kill);
  process.once('exit', kill);
  /** Lines that it logged, except that of each new release. */
  const log: string[] = [];
  const [, stdout, stderr, control] = child.stdio;
  if (!stdout || !stderr || !(control instanceof Readable)) throw new TypeError('workerd has no pipes');
  for (const output of [stdout, stderr])
    createInterface(output).on('line', (line) => {
      if (line !== '' && !line.startsWith('serving release ')) log.push(line);
    });
  const listening = new Promise<number>((resolve) => {
    createInterface(control).on('line', (line) => {
      const { event, port } = JSON.parse(line);
      if (String(event).startsWith('listen')) resolve(port);
    });
  });
  const port = await Promise.race([
    listening,
    once(child, 'exit').then(() => assert.fail(`workerd exited: ${log.join('\n')}`)),
  ]);
  // A Worker that a test started must not keep the process of the test file alive.
  child.unref();
  for (const pipe of [stdout, stderr, control]) if (pipe instanceof Socket) pipe.unref();
  return { url: `http://127.0.0.1:${port}`, log, pid: child.pid ?? 0 };
}

async function bundleExample(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [join(EXAMPLE, 'worker.ts')],
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'node',
    conditions: ['workerd', 'worker', 'browser'],
    external: ['cloudflare:workers'],
  });
  const [file] = outputFiles;
  if (file === undefined) throw new Error('esbuild made no file');
  return file.text;
}

/** The configuration of workerd, which is what Cloudflare makes of wrangler.toml. */
function config(vars: WorkerOptions['vars'], { r2Port, cachePort }: Omit<WorkerOptions, 'vars'>): string {
  const toml = readFileSync(join(EXAMPLE, 'wrangler.toml'), 'utf8');
  const [, date] = /^compatibility_date = "([0-9-]+)"$/m.exec(toml) ?? [];
  const values = Object.entries(vars).flatMap(([name, value]) => {
    if (value === undefined) return [];
    const [kind, text] = typeof value === 'string' ? ['text', value] : ['json', JSON.stringify(value)];
    return [`(name = "${name}", ${kind} = ${JSON.stringify(text)})`];
  });
  const bucket = r2Port === undefined ? [] : ['(name = "BUCKET", r2Bucket = "bucket")'];
  const services = Object.entries({ bucket: r2Port, cache: cachePort })
    .filter(([, port]) => port !== undefined)
    .map(([name, port]) => `    (name = "${name}", external = (address = "127.0.0.1:${port}", http = ())),\n`);
  return `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "main", worker = .worker),
    (name = "internet", network = (allow = ["public", "private"], tlsOptions = (trustBrowserCas = true))),
${services.join('')}  ],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")],
);
const worker :Workerd.Worker = (
  modules = [(name = "worker.js", esModule = embed "worker.js")],
  compatibilityDate = "${date}",
  bindings = [${[...values, ...bucket].join(', ')}],${cachePort === undefined ? '' : '\n  cacheApiOutbound = "cache",'}
);
`;
}
