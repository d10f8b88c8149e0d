// Commands as they are typed, in this process: a process costs half a second of CPU. format/command-line/as-typed.ci.ts starts
// each command once as a process. What serves, or is ended by a signal, is started, too.
import { Console } from 'node:console';
import { Readable, Writable } from 'node:stream';
import { runProgram } from '../../../format/command-line/run-program.ts';
import * as generator from '../../../generator/commands/program.ts';
import * as proxy from '../../../proxy/program.ts';

const PROGRAMS = { generator, proxy };
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** What a command printed, and its exit code. */
export interface Typed {
  status: number;
  stdout: string;
  stderr: string;
}

export interface TypedIn {
  /** The folder; the repository where left out. */
  cwd?: string;
  /** Variables of the environment besides those there are; undefined leaves one out. */
  env?: Readonly<Record<string, string | undefined>>;
  /** Standard input, which is empty where left out. */
  stdin?: string | Buffer;
}

// A child process starts in the folder of the command, from which the loader of TypeScript is not found by its name.
process.execArgv = process.execArgv.map((word) => (word === 'tsx' ? import.meta.resolve('tsx') : word));

type Captured = Record<'stdout' | 'stderr', Buffer[]>;

/** The command has called process.exit. */
class Exit extends Error {}

/**
 * Types a command and waits for its end. What the process has of its own is put back: its folder, environment, streams,
 * exit code and listeners. So one is typed at a time. `process.exit` throws: what follows it does not run, and it must
 * not be called from an event. `build` and `verify` should be given `--workers 0` unless workers are the subject.
 */
export async function typed(
  program: keyof typeof PROGRAMS,
  args: readonly string[],
  { cwd, env = {}, stdin = '' }: TypedIn = {},
): Promise<Typed> {
  let status: number | undefined;
  const captured: Captured = { stdout: [], stderr: [] };
  // First, as there may be no such folder.
  const restore = [inFolder(cwd ?? process.cwd()), keepListeners(), withVariables(env)];
  restore.push(capture('stdout', captured), capture('stderr', captured), replaceConsole());
  restore.push(replace(process, 'stdin', Readable.from([Buffer.from(stdin)])));
  const { exit } = process;
  process.exit = (code) => {
    status ??= Number(code ?? process.exitCode ?? 0);
    throw new Exit(`exit ${status}`);
  };
  const exitCode = process.exitCode;
  process.exitCode = undefined;
  try {
    const { explain } = PROGRAMS[program];
    await runProgram(PROGRAMS[program].program(), args, (error) => {
      // yargs passes it on, e.g. after --help.
      if (error instanceof Exit) throw error;
      return explain(error);
    });
    status ??= Number(process.exitCode ?? 0);
  } catch (error) {
    if (!(error instanceof Exit)) throw error;
  } finally {
    process.exit = exit;
    process.exitCode = exitCode;
    for (const undo of restore) undo();
  }
  const [stdout, stderr] = [captured.stdout, captured.stderr].map((pieces) => Buffer.concat(pieces).toString());
  return { status: status ?? 0, stdout: stdout ?? '', stderr: stderr ?? '' };
}

/** Puts a stream and a console in the place of those of the process. The runner of the tests keeps its own. */
function capture(name: keyof Captured, captured: Captured): () => void {
  const stream = new Writable({
    write(piece, _encoding, done) {
      // `points` uses its memory again.
      captured[name].push(Buffer.from(piece));
      done();
    },
  });
  return replace(process, name, stream);
}

function replaceConsole(): () => void {
  return replace(globalThis, 'console', new Console({ stdout: process.stdout, stderr: process.stderr }));
}

/** @returns puts the property back */
function replace(owner: object, name: string, value: unknown): () => void {
  const before = Object.getOwnPropertyDescriptor(owner, name) ?? {};
  Object.defineProperty(owner, name, { configurable: true, writable: true, value });
  return () => Object.defineProperty(owner, name, before);
}

function keepListeners(): () => void {
  const before = new Set(SIGNALS.flatMap((signal) => process.listeners(signal)));
  return () => {
    for (const signal of SIGNALS)
      for (const listener of process.listeners(signal)) if (!before.has(listener)) process.off(signal, listener);
  };
}

function inFolder(cwd: string): () => void {
  const before = process.cwd();
  process.chdir(cwd);
  return () => process.chdir(before);
}

function withVariables(env: Readonly<Record<string, string | undefined>>): () => void {
  const before = Object.keys(env).map((name): [string, string | undefined] => [name, process.env[name]]);
  const set = (entries: Iterable<[string, string | undefined]>): void => {
    for (const [name, value] of entries)
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
  };
  set(Object.entries(env));
  return () => set(before);
}
