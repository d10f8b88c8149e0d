// The proxy as a process of its own, as a user starts it.
import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { after } from '../after.ts';
import { until } from '../until.ts';
import { compile } from './compile.ts';

/** The proxy's program. */
export const PROXY: string = compile('proxy/main.ts');

/** A running program. */
export interface Running {
  child: ChildProcess;
  url: string;
  /** All that it has written so far. */
  out(): string;
  err(): string;
  /** Resolves when a line on standard error holds this. */
  says(text: RegExp): Promise<string>;
}

/**
 * Runs `serve` on a free port, with the Node that PROXY_NODE names or with this one; it is killed when the test ends,
 * if it has not ended by then.
 */
export async function serve(
  args: string[],
  env: Record<string, string> = {},
  node: string = process.env['PROXY_NODE'] ?? process.execPath,
): Promise<Running> {
  const all = [PROXY, 'serve', ...args];
  const child = spawn(node, all, {
    env: { ...process.env, BOUNDARIES_PORT: '0', ...env },
  });
  after(() => child.kill('SIGKILL'));
  let [out, err] = ['', ''];
  child.stdout.on('data', (piece) => {
    out += piece;
  });
  child.stderr.on('data', (piece) => {
    err += piece;
  });
  const says = async (text: RegExp): Promise<string> => {
    const hasEnded = (): boolean => child.exitCode !== null || child.signalCode !== null;
    await until(
      () => text.test(err) || hasEnded(),
      () => `standard error has no ${text}: ${err}`,
    );
    const found = text.exec(err);
    if (!found) assert.fail(err);
    return found[1] ?? found[0];
  };
  return { child, url: await says(/ at (http:\/\/127\.0\.0\.1:\d+)\n/), out: () => out, err: () => err, says };
}
