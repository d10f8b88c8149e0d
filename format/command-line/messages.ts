// What both programs print: text from outside made printable, errors of the command line, and how to install optional
// packages. It imports nothing of yargs, so that files away from the command line may use it.
import { createRequire } from 'node:module';
import { objectFrom, textIn } from '../parse.ts';

/** Compiled, this file is part of a package that installs two programs; a clone runs them by tsx. */
const IS_CLONE = import.meta.url.endsWith('.ts');
/** The words that begin the commands of both programs. */
export const GENERATOR: readonly string[] = IS_CLONE ? ['npx', 'tsx', 'generator/main.ts'] : ['boundaries-generator'];
export const PROXY: readonly string[] = IS_CLONE ? ['npx', 'tsx', 'proxy/main.ts'] : ['boundaries-proxy'];

/**
 * What to do about a release without a signature by a trusted key.
 * @param isSigned has it a signature, which is of another key or of other content?
 * @param out the output folder; undefined if it is on another machine
 */
export function signatureRemedy(isSigned: boolean, release: string, out?: string): string {
  const sign = [...GENERATOR, 'sign', release, '--key', 'private.pem', ...(out === undefined ? [] : ['--out', out])];
  const where = out === undefined ? ' where it was built, and upload it again' : '';
  return isSigned
    ? `trust the public key that it was signed with: --trusted-key FILE; if it should be yours, sign it${where}: ${sign.join(' ')}`
    : `sign it${where}: ${sign.join(' ')}; or leave out --trusted-key`;
}

/** What a shell takes as it is. */
const PLAIN = /^[\w@%+=:,./-]+$/;

/** A word of a command to type, in quotation marks where a shell would divide or interpret it. */
export function shellWord(word: string): string {
  return PLAIN.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

/**
 * Text without control characters and line breaks, which a terminal or a log of continuous integration would interpret:
 * each becomes its JSON escape, so that JSON remains the same JSON.
 */
export function printable(text: string): string {
  return text.replaceAll(/[\p{Cc}\u2028\u2029]/gu, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** Like `printable`, of text with line breaks of the program's own, which remain. */
export function printableLines(text: string): string {
  return text.split('\n').map(printable).join('\n');
}

/** The command line is wrong: `message` says what and where; `remedy` what to do. */
export class UsageError extends Error {
  readonly remedy: string;
  readonly isUsage = true;

  constructor(message: string, remedy: string) {
    super(message);
    this.name = 'UsageError';
    this.remedy = remedy;
  }
}

/** What yargs knows of the options of a command: lists of names. */
export interface DeclaredOptions {
  /** Every option. */
  key: Readonly<Record<string, unknown>>;
  array: readonly string[];
  boolean: readonly string[];
  number: readonly string[];
}

/** The options of a program of yargs, whose types leave `getOptions` out. */
export function declaredOptions(program: object): DeclaredOptions {
  if (!('getOptions' in program) || typeof program.getOptions !== 'function')
    throw new TypeError('yargs has no getOptions');
  return program.getOptions();
}

/** The version of this package. yargs would print that of the project in which it is installed. */
export function packageVersion(): string {
  return textIn(packageJson(), 'version', 'package.json');
}

/** `npm install` with the versions of optional peer dependencies that this package needs. */
export function installCommand(packages: readonly string[]): string {
  const versions = objectFrom(packageJson()['peerDependencies'], 'package.json');
  const named = packages.map((name) => `"${name}@${textIn(versions, name, 'package.json')}"`);
  const elsewhere =
    'where this package is installed globally: with --global and the same --prefix; in a clone of the repository: npm run setup';
  return `npm install ${named.join(' ')}    (${elsewhere})`;
}

/** A package may import itself by its name (Node.js, "Self-referencing a package"). */
function packageJson(): Record<string, unknown> {
  const file = 'administrative-boundaries-service/package.json';
  return objectFrom(createRequire(import.meta.url)(file), file);
}
