// A static host for the benchmark: nginx with one worker over an output folder, on a free port of the loopback.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

/** The host. */
export interface StaticHost {
  url: string;
  stop(): Promise<void>;
}

const POLL_MS = 20;
const START_MAX_MS = 30_000;

/** Starts it; nginx must be installed. @throws Error with nginx's own log when it ends or does not answer in time */
export async function startStaticHost(out: string, folder: string): Promise<StaticHost> {
  const port = await freePort();
  const prefix = join(folder, 'nginx');
  mkdirSync(prefix, { recursive: true });
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((name) => `${name}_temp_path ${prefix}/${name};`)
    .join('\n');
  const config = `worker_processes 1; daemon off; pid ${prefix}/pid; error_log ${prefix}/error.log; ${process.getuid?.() === 0 ? 'user root;' : ''}
events { worker_connections 512; }
http { access_log off; sendfile on; tcp_nopush on; keepalive_requests 1000000; default_type application/octet-stream;
${temporary}
server { listen 127.0.0.1:${port}; root ${resolve(out)}; } }`;
  writeFileSync(join(prefix, 'nginx.conf'), config);
  const child = spawn('nginx', ['-p', prefix, '-c', join(prefix, 'nginx.conf')], { stdio: 'ignore' });
  process.once('exit', () => child.kill('SIGKILL'));
  const url = `http://127.0.0.1:${port}`;
  const started = performance.now();
  while (!(await answers(`${url}/current.json`))) {
    if (child.exitCode !== null || performance.now() - started > START_MAX_MS)
      throw new Error(`nginx does not start: ${readFileSync(join(prefix, 'error.log'), 'utf8')}`);
    await delay(POLL_MS);
  }
  return {
    url,
    async stop() {
      const gone = once(child, 'exit');
      child.kill('SIGTERM');
      await gone;
    },
  };
}

async function answers(url: string): Promise<boolean> {
  return fetch(url).then(
    (answer) => answer.ok,
    () => false,
  );
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  return port;
}
