// nginx with one worker that serves a gzipped page of a folder on a free port of the loopback, with or without asking
// another server whether it may.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type Machine, onCore } from './machine.ts';

/** What it serves. */
export interface NginxOptions {
  root: string;
  /** For its configuration and log. */
  folder: string;
  machine: Machine;
  /** A path that it has. */
  path: string;
  /** The server that auth_request asks; undefined serves everyone. */
  auth: string | undefined;
}

/** The server. */
export interface Nginx {
  url: string;
  stop(): Promise<void>;
}

const POLL_MS = 20;
const START_MAX_MS = 30_000;

/** Starts it; nginx must be installed. @throws Error with nginx's own log when it ends or does not answer in time */
export async function startNginx({ root, folder, machine, path, auth }: NginxOptions): Promise<Nginx> {
  const port = await freePort();
  const prefix = mkdtempSync(join(folder, 'nginx-'));
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((name) => `${name}_temp_path ${prefix}/${name};`)
    .join('\n');
  const check = auth === undefined ? '' : 'auth_request /auth;';
  const asking =
    auth === undefined
      ? ''
      : `location = /auth { internal; proxy_pass http://auth; proxy_pass_request_body off; proxy_http_version 1.1;
proxy_set_header Content-Length ""; proxy_set_header Connection ""; }`;
  const upstream = auth === undefined ? '' : `upstream auth { server ${new URL(auth).host}; keepalive 16; }`;
  const config = `worker_processes 1; daemon off; pid ${prefix}/pid; error_log ${prefix}/error.log; ${process.getuid?.() === 0 ? 'user root;' : ''}
events { worker_connections 512; }
http { access_log off; sendfile on; tcp_nopush on; open_file_cache max=100; keepalive_requests 100000000; default_type application/geo+json;
${temporary} ${upstream}
server { listen 127.0.0.1:${port}; root ${root}; ${asking}
location / { ${check} add_header Content-Encoding gzip; } } }`;
  writeFileSync(join(prefix, 'nginx.conf'), config);
  const [command, args] = onCore(machine.serverCore, 'nginx', ['-p', prefix, '-c', join(prefix, 'nginx.conf')]);
  const child = spawn(command, args, { stdio: 'ignore' });
  process.once('exit', () => child.kill('SIGKILL'));
  const url = `http://127.0.0.1:${port}`;
  const started = performance.now();
  while (!(await answers(url + path))) {
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
  return fetch(url, { method: 'HEAD' }).then(
    ({ ok }) => ok,
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
