// Real nginx and Varnish on loopback, with the example configurations of the repository: ports and folders are put in.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import type { Target } from '../http/http-client.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { until } from '../until.ts';
import { endProcess } from './end-process.ts';
import { freePort } from './free-port.ts';

/** Why tests with this program are skipped; false where it is installed. */
export function missing(program: 'nginx' | 'varnishd'): string | false {
  const { error } = spawnSync(program, ['-V']);
  return error ? `${program} is not installed (Debian: nginx-light, varnish)` : false;
}

type Changes = Readonly<Record<string, string>>;

/** An example configuration with each text replaced; every one must stand in it. */
export function exampleWith(name: string, changes: Changes): string {
  let text = readFileSync(`proxy/examples/${name}`, 'utf8');
  for (const [from, to] of Object.entries(changes)) {
    if (!text.includes(from)) throw new Error(`${name} no longer says ${from}`);
    text = text.replaceAll(from, to);
  }
  return text;
}

/** The line of nginx-front.conf with the second proxy. */
export const SECOND_PROXY = 'server 127.0.0.1:8081 max_fails=0;';

/**
 * Starts nginx in front of a proxy, with an example for that: of nginx-front.conf without the second proxy.
 * @param before lines before its servers
 */
export async function nginxBefore(
  { url }: Target,
  example: string,
  changes: Changes = {},
  before = '',
): Promise<Target> {
  const port = await freePort();
  const own = {
    'listen 8443': `listen 127.0.0.1:${port}`,
    '127.0.0.1:8080': new URL(url).host,
    ...(example === 'nginx-front.conf' && { [SECOND_PROXY]: '' }),
  };
  await startNginx(`${before}\n${exampleWith(example, { ...own, ...changes })}`, port);
  return { url: `http://127.0.0.1:${port}` };
}

/** Starts Varnish in front of a proxy. */
export async function varnishBefore({ url }: Target, example: string, changes: Changes = {}): Promise<Target> {
  const port = await freePort();
  await startVarnish(exampleWith(example, { '"8080"': `"${new URL(url).port}"`, ...changes }), port);
  return { url: `http://127.0.0.1:${port}` };
}

/** The programs that keep the answers of a public service, each started with the example for it. */
export const PUBLIC_CACHES = [
  {
    program: 'nginx',
    start: (service: { url: string }) =>
      nginxBefore(service, 'nginx-public.conf', { '/var/cache/nginx/boundaries': temporaryFolder() }),
  },
  { program: 'varnishd', start: (service: { url: string }) => varnishBefore(service, 'varnish-public.vcl') },
] as const;

/** Starts nginx with these server blocks; it stops when the test file ends. */
export function startNginx(servers: string, port: number): Promise<void> {
  return running(port, (folder) => {
    const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
      .map((name) => `${name}_temp_path ${join(folder, name)};`)
      .join('\n');
    const user = process.getuid?.() === 0 ? 'user root;' : '';
    const text = `${user}\ndaemon off;\npid ${join(folder, 'pid')};\nerror_log ${join(folder, 'error.log')};
worker_processes 1;\nevents {}\nhttp {\naccess_log off;\n${temporary}\n${servers}\n}\n`;
    const file = join(folder, 'nginx.conf');
    writeFileSync(file, text);
    return spawn('nginx', ['-p', folder, '-c', file]);
  });
}

/** Starts Varnish with this VCL; it stops when the test file ends. */
export function startVarnish(vcl: string, port: number): Promise<void> {
  return running(port, (folder) => {
    const file = join(folder, 'test.vcl');
    writeFileSync(file, vcl);
    const listen = ['-a', `127.0.0.1:${port}`, '-T', 'none'];
    const rest = ['-j', 'none', '-s', 'malloc,32m', '-n', join(folder, 'work'), '-f', file];
    return spawn('varnishd', ['-F', ...listen, ...rest]);
  });
}

/** Starts a program with a folder of its own, and waits until the port takes connections. */
async function running(port: number, start: (folder: string) => ChildProcess): Promise<void> {
  const child: ChildProcess = start(temporaryFolder(() => endProcess(child)));
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (piece) => (said += piece));
  const ended = new Promise<never>((_, reject) => {
    child.once('error', reject).once('exit', (code) => reject(new Error(`ended with ${code}: ${said}`)));
  });
  ended.catch(() => {});
  await until(
    () => Promise.race([ended, isOpen(port)]),
    () => `port ${port} takes no connections: ${said}`,
  );
}

function isOpen(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve(true);
    });
    socket.on('error', () => resolve(false));
  });
}
