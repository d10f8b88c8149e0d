// A file system that fails on command: counts every file operation of the process and does something at the nth.
// It replaces functions of node:fs itself, so whatever the code under test calls is met.
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

const SYNC = [
  ...['openSync', 'closeSync', 'writeSync', 'writevSync', 'readSync', 'writeFileSync', 'readFileSync', 'fsyncSync'],
  ...['mkdirSync', 'readdirSync', 'statSync', 'linkSync', 'copyFileSync', 'renameSync', 'rmSync'],
];
const ASYNC = ['open', 'readdir', 'readFile'] as const;

/** Called before each operation with its number, from 1, and its name; may throw in its place. */
export type OnOperation = (n: number, name: string) => void;

/** Starts counting. Returns a function that stops, puts everything back and gives the names counted. */
export function interceptFiles(onOperation: OnOperation): () => string[] {
  const names: string[] = [];
  let isRunning = false;
  const restore: (() => void)[] = [];
  const intercept = (target: object, name: string): void => {
    const original: unknown = Reflect.get(target, name);
    if (typeof original !== 'function') throw new Error(`node:fs has no ${name}`);
    const replacement = (...args: unknown[]): unknown => {
      // What a function of node:fs calls inside itself is part of one operation; nor is that one which `onOperation`
      // does.
      const isInner = isRunning;
      isRunning = true;
      let result: unknown;
      try {
        if (!isInner) onOperation(names.push(name), name);
        result = Reflect.apply(original, target, args);
      } finally {
        isRunning = isInner;
      }
      // The handles of node:fs/promises have no functions of their own before they are opened.
      return name === 'open' && result instanceof Promise ? result.then(interceptHandle) : result;
    };
    Reflect.set(target, name, replacement);
    restore.push(() => Reflect.set(target, name, original));
  };
  const interceptHandle = (handle: object): object => {
    intercept(handle, 'sync');
    return handle;
  };
  for (const name of SYNC) intercept(fs, name);
  for (const name of ASYNC) intercept(fs.promises, name);
  syncBuiltinESMExports();
  return () => {
    for (const put of restore) put();
    syncBuiltinESMExports();
    return names;
  };
}

/** An error as the operating system gives it. */
export function systemError(code: string, name: string): Error {
  return Object.assign(new Error(`${code}: injected, ${name.replace('Sync', '')}`), { code, syscall: name });
}

/** Runs a command of which an operation fails with a code. @returns its error; undefined if it has none */
export async function errorWith(code: string, operation: number, command: () => Promise<unknown>): Promise<unknown> {
  const stop = interceptFiles((n, name) => {
    if (n === operation) throw systemError(code, name);
  });
  try {
    await command();
    return undefined;
  } catch (error) {
    return error;
  } finally {
    stop();
  }
}
