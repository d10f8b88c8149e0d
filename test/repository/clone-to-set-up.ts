// A clone to set up in a folder of its own, with stand-ins for npm, apt and the compiler that note how they were
// called.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { temporaryFolder } from '../support/temporary-folder.ts';

const REPOSITORY = resolve();
const BINDING_FOLDER = `lib/binding/node-v${process.versions.modules}-${process.platform}-${process.arch}`;
const BINDING = join(dirname(createRequire(import.meta.url).resolve('gdal-async/package.json')), BINDING_FOLDER);

/** Of the lock file. */
const PACKAGES = {
  '': { name: 'clone' },
  'node_modules/tool': { version: '1.0.0', integrity: 'sha512-one' },
  'node_modules/for-another-platform': { version: '1.0.0', optional: true },
};
/** What npm notes when it has installed them. */
export const INSTALLED = { 'node_modules/tool': PACKAGES['node_modules/tool'] };
/** A step of the set-up, as the stand-ins note it. */
export const DOWNLOAD = /^node-pre-gyp install$/;
/** What compiling needs. */
export const COMPILING = ['gdal-config', 'g++', 'make', 'python3'];

/** A clone to set up. */
export interface Clone {
  /** Has the others, a cache and temporary files. */
  folder: string;
  root: string;
  /** What a program of the user's is found in; nothing else is on PATH. */
  programs: string;
  /** Where the binding belongs. */
  binding: string;
}

export interface CloneOptions {
  engines?: string;
  /** npm's note of what is installed; none where left out. */
  installed?: object;
  /** What gdal-async's downloader and compiler leave behind. */
  prebuilt?: 'binding' | 'half' | 'nothing';
  compiled?: 'binding' | 'half' | 'nothing';
  programs?: readonly string[];
  /** What npm does, as a script, in which `fs` is there; it installs the packages where left out. */
  npm?: string;
  /** Is the binding there already? */
  binding?: boolean;
}

/** How the set-up is started. */
export interface Start {
  /** The script, and its arguments; the set-up where left out. */
  script?: readonly [name: string, ...args: string[]];
  /** The Node that the user typed; this one where left out. */
  node?: string;
  env?: Record<string, string>;
}

/** What a run of the set-up came to. */
export interface Outcome {
  code: number | null;
  printed: string;
  /** The lines that tell what is being done. */
  steps: string[];
}

/** Makes a clone, and the stand-ins. */
export function makeClone(options: CloneOptions = {}): Clone {
  const folder = temporaryFolder();
  const root = join(folder, 'clone');
  const gdal = join(root, 'node_modules', 'gdal-async');
  const binding = join(gdal, BINDING_FOLDER, 'gdal.node');
  const clone: Clone = { folder, root, programs: join(folder, 'programs'), binding };
  const preGyp = join(gdal, 'node_modules', '@mapbox', 'node-pre-gyp', 'bin');
  for (const made of [clone.programs, preGyp]) mkdirSync(made, { recursive: true });
  cpSync(join(REPOSITORY, '.setup'), join(root, '.setup'), { recursive: true });
  const engines = { node: options.engines ?? '>=20' };
  writeFileSync(join(root, 'package.json'), JSON.stringify({ type: 'module', engines }));
  writeFileSync(join(root, 'package-lock.json'), JSON.stringify({ packages: PACKAGES }));
  if (options.installed !== undefined) {
    const installed = JSON.stringify({ packages: options.installed });
    writeFileSync(join(root, 'node_modules', '.package-lock.json'), installed);
  }
  if (options.binding) {
    mkdirSync(dirname(binding), { recursive: true });
    copyFileSync(join(BINDING, 'gdal.node'), binding);
  }
  writeFileSync(join(gdal, 'package.json'), '{}');
  const { prebuilt = 'nothing', compiled = 'nothing' } = options;
  addProgram(
    { folder, programs: preGyp },
    'node-pre-gyp',
    `fs.writeFileSync(${JSON.stringify(join(folder, 'nodedir'))}, String(process.env.npm_config_nodedir));
     const known = process.versions.modules === '${process.versions.modules}';
     const left = !known ? 'nothing' : process.argv.includes('--build-from-source') ? '${compiled}' : '${prebuilt}';
     if (left === 'nothing') {
       console.log('a.cpp: In function f:\\na.cpp:3:5: error: what went wrong\\nb.cpp:1:1: error: another\\nmake: it failed');
       process.exit(1);
     }
     fs.mkdirSync(${JSON.stringify(dirname(binding))}, { recursive: true });
     if (left === 'half') fs.writeFileSync(${JSON.stringify(binding)}, 'half of a binding');
     else fs.copyFileSync(${JSON.stringify(join(BINDING, 'gdal.node'))}, ${JSON.stringify(binding)});`,
  );
  for (const name of options.programs ?? []) addProgram(clone, name, '');
  const note = [join(root, 'node_modules', '.package-lock.json'), JSON.stringify({ packages: INSTALLED })];
  const installs = `setTimeout(() => fs.writeFileSync(...${JSON.stringify(note)}), 300);`;
  addProgram(clone, 'npm', options.npm ?? installs);
  const tsx = join(root, 'node_modules', 'tsx');
  mkdirSync(tsx);
  writeFileSync(join(tsx, 'package.json'), '{ "type": "module", "exports": "./tsx.js" }');
  // In place of the program that it would compile.
  const noted = "['tsx', relative('.', program), ...words].join(' ')";
  writeFileSync(
    join(tsx, 'tsx.js'),
    `import { appendFileSync } from 'node:fs';
     import { relative } from 'node:path';
     const [, program, ...words] = process.argv;
     appendFileSync(${JSON.stringify(join(folder, 'calls'))}, ${noted} + '\\n');
     process.exit();`,
  );
  return clone;
}

/** A program that notes its call and runs `script`, in which `fs` is there. */
export function addProgram({ folder, programs }: Pick<Clone, 'folder' | 'programs'>, name: string, script: string) {
  const calls = JSON.stringify(join(folder, 'calls'));
  const text = `#!${process.execPath}\nconst fs = require('node:fs');
    fs.appendFileSync(${calls}, '${name} ' + process.argv.slice(2).join(' ') + '\\n');\n${script}`;
  writeFileSync(join(programs, name), text, { mode: 0o755 });
}

/** How the stand-ins were called. */
export function callsIn(clone: Clone): string[] {
  const file = join(clone.folder, 'calls');
  return existsSync(file) ? readFileSync(file, 'utf8').trimEnd().split('\n') : [];
}

/** Starts a set-up. */
export function start(
  clone: Clone,
  { script: [name, ...args] = ['setup.js'], node = process.execPath, env: more = {} }: Start = {},
) {
  const { folder, programs } = clone;
  const env = { PATH: programs, TMPDIR: folder, XDG_CACHE_HOME: join(folder, 'cache'), ...more };
  const child = spawn(node, [join(clone.root, '.setup', name), ...args], { env });
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (printed += text));
  const outcome = once(child, 'close').then(([code]): Outcome => {
    return { code, printed, steps: printed.split('\n').filter((line) => line.startsWith('set-up: ')) };
  });
  return { child, outcome };
}

/** Runs a set-up to its end. */
export function setUp(clone: Clone, how?: Start): Promise<Outcome> {
  return start(clone, how).outcome;
}
