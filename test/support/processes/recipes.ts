// Recipes of README files: lines that a client types, in a folder of their own, for a service that has another address.
import { symlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { AUTHORIZED, TOKEN } from '../http/in-process-proxy.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { printedBy } from './programs.ts';

export interface Recipes {
  /** Where they are typed: what they write is there, and the proxy's folder. */
  home: string;
  /** Each runs lines, which must end well, and returns what is printed. */
  sh(...lines: string[]): Promise<string>;
  python(...lines: string[]): Promise<string>;
  node(...lines: string[]): Promise<string>;
}

/** Types lines that a document shows for a service. @param env further variables, besides the service's address and a token */
export function recipesFor({ url }: { url: string }, env: NodeJS.ProcessEnv = {}): Recipes {
  const home = temporaryFolder();
  symlinkSync(resolve('proxy'), join(home, 'proxy'));
  const known = { BASE: `${url}/api/v1`, AUTH: `Authorization: ${AUTHORIZED.authorization}`, TOKEN };
  const options = { cwd: home, env: { ...process.env, ...known, ...env } };
  const running =
    (program: string, ...args: string[]) =>
    (...lines: string[]): Promise<string> =>
      printedBy(program, [...args, lines.join('\n').replaceAll('http://127.0.0.1:8080', url)], options);
  return {
    home,
    sh: running('sh', '-ec'),
    python: running('python3', '-c'),
    node: running(process.execPath, '--input-type=module', '-e'),
  };
}

/** The last line of what a program has printed. */
export function lastLine(text: string): string {
  return text.trimEnd().split('\n').at(-1) ?? '';
}
