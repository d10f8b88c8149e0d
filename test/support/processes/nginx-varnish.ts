// Real nginx and Varnish on loopback, with the example configurations of the repository: ports and folders are put in.
import type { ChildProcess } from 'node:child_process';
import { spawn, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { after } from '../after.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { until } from '../until.ts';

/** Why tests with this program are skipped; false where it is installed. */
export function missing(program: 'nginx' | 'varnishd'): string | false {
  const { error } = spawnSync(program, ['-V']);
  return error ? `${program} is not installed (Debian: nginx-light, varnish)` : false;
}

/** An example configuration with each text replaced; every one must stand in it. */
export function exampleWith(name: string, changes: Readonly<Record<string, string>>): string {
  let text = readFileSync(`proxy/examples/${name}`, 'utf8');
  for (const [from, to] of Object.entries(changes)) {
    if (!text.includes(from)) throw new Error(`${name} no longer says ${from}`);
    text = text.replaceAll(from, to);
  }
  return text;
}

/** A port that was free a moment ago. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Starts nginx with these server blocks; it stops when the test file ends. */
export async function startNginx(servers: string, port: number): Promise<void> {
  const folder = temporaryFolder();
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((name) => `${name}_temp_path ${join(folder, name)};`)
    .join('\n');
  const user = process.getuid?.() === 0 ? 'user root;' : '';
  const text = `${user}\ndaemon off;\npid ${join(folder, 'pid')};\nerror_log ${join(folder, 'error.log')};
worker_processes 1;\nevents {}\nhttp {\naccess_log off;\n${temporary}\n${servers}\n}\n`;
  const file = join(folder, 'nginx.conf');
  writeFileSync(file, text);
  await running(spawn('nginx', ['-p', folder, '-c', file]), port);
}

/** Starts Varnish with this VCL; it stops when the test file ends. */
export async function startVarnish(vcl: string, port: number): Promise<void> {
  const folder = temporaryFolder();
  const file = join(folder, 'test.vcl');
  writeFileSync(file, vcl);
  const listen = ['-a', `127.0.0.1:${port}`, '-T', 'none'];
  const rest = ['-j', 'none', '-s', 'malloc,32m', '-n', join(folder, 'work'), '-f', file];
  await running(spawn('varnishd', ['-F', ...listen, ...rest]), port);
}

/** Waits until the port takes connections. */
async function running(child: ChildProcess, port: number): Promise<void> {
  let said = '';
  const add = (piece: Buffer): void => {
    said += piece;
  };
  child.stdout?.on('data', add);
  child.stderr?.on('data', add);
  const ended = new Promise<never>((_, reject) => {
    child.once('exit', (code) => reject(new Error(`ended with ${code}: ${said}`)));
  });
  ended.catch(() => {});
  after(async () => {
    if (child.exitCode !== null) return;
    child.kill('SIGTERM');
    await new Promise((resolve) => child.once('exit', resolve));
  });
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
