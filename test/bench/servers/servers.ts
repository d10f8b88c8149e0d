// Where the programs of a benchmark run: servers on one core, load generators on another, and with which Node. Servers
// are processes of their own: started, waited for, ended by id. The proxy as it is deployed: the compiled package, one
// process, tokens checked, no access log; and a client of it.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Answer, send } from '../../support/http/http-client.ts';
import { AUDIENCE } from '../../support/http/in-process-proxy.ts';
import { type IssuerKey, issuerKey, tokenOf } from '../../support/http/issuer.ts';
import { compile } from '../../support/processes/compile.ts';
import { hasProgram } from '../measure/measure.ts';

/** The cores, undefined if programs may run on any, and the Node of the servers. */
export interface Machine {
  serverCore: string | undefined;
  loadCore: string | undefined;
  /** The program that runs proxy and control. */
  node: string;
}

/** Chooses two cores that this process may use. @param node the Node of the servers */
export function chooseMachine(node: string = process.execPath): Machine {
  const [serverCore, loadCore] = hasProgram('taskset') ? allowedCores() : [];
  if (loadCore !== undefined) return { serverCore, loadCore, node };
  console.error('taskset or a second core is missing: server and load generator may share a core');
  return { serverCore: undefined, loadCore, node };
}

export function onCore(core: string | undefined, command: string, args: readonly string[]): [string, string[]] {
  return core === undefined ? [command, [...args]] : ['taskset', ['-c', core, command, ...args]];
}

/** Numbers of the cores, from lists such as 0-3,6; empty where the system does not tell. */
function allowedCores(): string[] {
  try {
    const [, list = ''] = /^Cpus_allowed_list:\s*(\S+)/m.exec(readFileSync('/proc/self/status', 'utf8')) ?? [];
    return list.split(',').flatMap((range) => {
      const [first = Number.NaN, last = first] = range.split('-').map(Number);
      return Array.from({ length: last - first + 1 }, (_, i) => String(first + i));
    });
  } catch {
    return [];
  }
}

/** The compiled module of a file in a checkout of another version, which compiles itself. */
export function compiledIn(checkout: string, file: string): string {
  if (checkout === '.') return compile(file);
  const printed = [
    "import { compile } from './test/support/processes/compile.ts';",
    `console.log(compile('${file}'));`,
  ];
  const args = ['--import', 'tsx', '--input-type=module', '--eval', printed.join('\n')];
  return execFileSync(process.execPath, args, { cwd: checkout, encoding: 'utf8' }).trim();
}

export interface Server {
  url: string;
  pid: number;
  stop(): Promise<void>;
}

const running = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/** Starts Node with these arguments on the core of servers; ready when it has printed its address. */
export async function startNode({ node, serverCore }: Machine, args: readonly string[]): Promise<Server> {
  const child = spawn(...onCore(serverCore, node, args), { stdio: ['ignore', 'pipe', 'pipe'] });
  running.add(child);
  child.once('exit', () => running.delete(child));
  const url = await addressOf(child);
  return {
    url,
    pid: child.pid ?? 0,
    async stop() {
      const gone = once(child, 'exit');
      child.kill('SIGKILL');
      await gone;
    },
  };
}

function addressOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let said = '';
    const onText = (text: string): void => {
      said += text;
      const [url] = /http:\/\/127\.0\.0\.1:\d+/.exec(said) ?? [];
      if (url) resolve(url);
    };
    for (const stream of [child.stdout, child.stderr]) stream?.setEncoding('utf8').on('data', onText);
    child.once('exit', (code) => reject(new Error(`exited with ${code} before it listened: ${said}`)));
  });
}

/** How to start the proxy, and what its clients send. */
export interface Service {
  rules: { jwks: string; issuer: string; audience: string };
  /** Values of Authorization: a valid one, one whose signature is wrong, and one that has expired. */
  authorizations: Readonly<Record<'valid' | 'forged' | 'expired', string>>;
  /** A proxy of its own for each call, with nothing in its memory but the release's metadata; of another version. */
  start(origin: string, checkout?: string): Promise<Server>;
  /** Of a valid request. */
  headers: Record<string, string>;
}

const ISSUER = 'https://bench.test/';
const TOKEN_SECONDS = 36_000;

/** Makes a key, tokens and the options that fit, in a folder. */
export async function prepareService(folder: string, machine: Machine): Promise<Service> {
  const [key, other] = [issuerKey('bench'), issuerKey('bench')];
  const jwks = join(folder, 'jwks.json');
  writeFileSync(jwks, JSON.stringify({ keys: [key.jwk] }));
  const now = Math.floor(Date.now() / 1000);
  const bearer = async (signer: IssuerKey, iat: number): Promise<string> =>
    `Bearer ${await tokenOf({ name: ISSUER }, signer, { iat, exp: iat + TOKEN_SECONDS })}`;
  const authorizations = {
    valid: await bearer(key, now),
    forged: await bearer(other, now),
    expired: await bearer(key, now - 2 * TOKEN_SECONDS),
  };
  const options = ['--port', '0', '--jwks', jwks, '--issuer', ISSUER, '--audience', AUDIENCE, '--no-access-log'];
  return {
    rules: { jwks, issuer: ISSUER, audience: AUDIENCE },
    authorizations,
    start: (origin, checkout = '.') =>
      startNode(machine, [compiledIn(checkout, 'proxy/main.ts'), 'serve', '--origin', origin, ...options]),
    headers: { authorization: authorizations.valid, 'accept-encoding': 'gzip' },
  };
}

/** Asks for each path in turn. The answers, in the same order. @throws Error when one is not 200 */
export async function answersTo(url: string, paths: readonly string[], headers: Service['headers']): Promise<Answer[]> {
  const answers: Answer[] = [];
  for (const path of paths) {
    const answer = await send({ url }, path, headers);
    if (answer.status !== 200) throw new Error(`${url}${path}: ${answer.status}`);
    answers.push(answer);
  }
  return answers;
}

/** Headers that node:http writes by itself. */
const OWN_HEADERS = ['date', 'connection', 'keep-alive'];

/** The headers of an answer without those. @returns alternating names and values */
export function headersOf({ rawHeaders: raw }: Answer): string[] {
  return raw.filter((_, i) => !OWN_HEADERS.includes((raw[i - (i % 2)] ?? '').toLowerCase()));
}
