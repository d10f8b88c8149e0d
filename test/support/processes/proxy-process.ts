// The proxy as a process of its own, as a user starts it.
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after } from '../after.ts';
import { AUDIENCE, ISSUER, JWKS } from '../http/in-process-proxy.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { until } from '../until.ts';
import { compile } from './compile.ts';

export const PROXY: string = compile('proxy/main.ts');

export interface Running {
  child: ChildProcess;
  url: string;
  /** All that it has written so far. */
  out(): string;
  err(): string;
  /** Resolves when what it has written, first on standard error, holds this. */
  says(text: RegExp): Promise<string>;
  /** Tells it to stop; resolves with its exit code and the signal that ended it. */
  stop(signal?: NodeJS.Signals): Promise<unknown[]>;
}

interface HowToServe {
  /** What becomes of standard output: it is read, nobody reads it, or it is this file. */
  stdout?: 'read' | 'unread' | number;
  node?: string;
  /** The proxy's program, that of the project where left out. */
  program?: string;
}

/** The options that name an output folder, and the issuer of the tests' tokens. */
export function issuedOptions(folder: string): string[] {
  return ['--origin', folder, ...issuerOptions()];
}

/** The options that name the issuer of the tests' tokens. */
export function issuerOptions(): string[] {
  const jwks = join(temporaryFolder(), 'jwks.json');
  writeFileSync(jwks, JWKS);
  return ['--issuer', ISSUER, '--audience', AUDIENCE, '--jwks', jwks];
}

/** What `start` gives: a service that may not listen yet. */
export type Started = Omit<Running, 'url'>;

/** Runs `serve` on a free port, and waits until it says where. */
export async function serve(args: string[], env: Record<string, string> = {}, how: HowToServe = {}): Promise<Running> {
  const started = start(args, env, how);
  return { ...started, url: await started.says(/(?: at|:) (http:\/\/[\d.]+:\d+)\n/) };
}

/**
 * Runs `serve` on a free port, with the Node that PROXY_NODE names or with this one; it is killed when the test ends,
 * if it has not ended by then.
 */
export function start(
  args: string[],
  env: Record<string, string> = {},
  { stdout = 'read', node = process.env['PROXY_NODE'] ?? process.execPath, program = PROXY }: HowToServe = {},
): Started {
  const child = spawn(node, [program, 'serve', ...args], {
    env: { ...process.env, BOUNDARIES_PORT: '0', ...env },
    // Its standard input ends when this process does, however that ends.
    stdio: ['pipe', typeof stdout === 'number' ? stdout : 'pipe', 'pipe'],
  });
  after(() => child.kill('SIGKILL'));
  let [out, err] = ['', ''];
  if (stdout === 'read')
    child.stdout?.on('data', (piece) => {
      out += piece;
    });
  child.stderr?.on('data', (piece) => {
    err += piece;
  });
  const says = async (text: RegExp): Promise<string> => {
    const find = (): RegExpExecArray | null => text.exec(err) ?? text.exec(out);
    const hasEnded = (): boolean => child.exitCode !== null || child.signalCode !== null;
    await until(
      () => find() !== null || hasEnded(),
      () => `it does not say ${text}: ${err}${out}`,
    );
    const found = find();
    if (!found) assert.fail(err);
    return found[1] ?? found[0];
  };
  const stop = (signal: NodeJS.Signals = 'SIGTERM'): Promise<unknown[]> => {
    child.kill(signal);
    return once(child, 'exit');
  };
  return { child, out: () => out, err: () => err, says, stop };
}

/** The processes that a process has started, on Linux: of a proxy with workers these. */
export function workersOf({ pid }: ChildProcess): number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8');
  return children.trim().split(' ').filter(Boolean).map(Number);
}
