// The lines of README files that a client types, in a folder of their own, for a service that has another address.
import { symlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { AUTHORIZED, TOKEN } from '../http/in-process-proxy.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { printedBy } from './programs.ts';

export interface Typed {
  /** Where they are typed: what they write is there, and the proxy's folder. */
  home: string;
  /** Each runs lines, which must end well, and returns what is printed. */
  sh(code: string): Promise<string>;
  python(...lines: string[]): Promise<string>;
}

/** Types lines that a document shows. @param env further variables, besides the service's address and a token */
export function typedFor(url: string, env: NodeJS.ProcessEnv = {}): Typed {
  const home = temporaryFolder();
  symlinkSync(resolve('proxy'), join(home, 'proxy'));
  const known = { BASE: `${url}/api/v1`, AUTH: `Authorization: ${AUTHORIZED.authorization}`, TOKEN };
  const options = { cwd: home, env: { ...process.env, ...known, ...env } };
  const run = (program: string, option: string, code: string): Promise<string> =>
    printedBy(program, [option, code.replaceAll('http://127.0.0.1:8080', url)], options);
  return {
    home,
    sh: (code) => run('sh', '-ec', code),
    python: (...lines) => run('python3', '-c', lines.join('\n')),
  };
}

/** The last line of what a program has printed. */
export function lastLine(text: string): string {
  return text.trimEnd().split('\n').at(-1) ?? '';
}
