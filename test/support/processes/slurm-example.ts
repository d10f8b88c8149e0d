// The example for Slurm, copied and typed as its README says, with a generator one process of which stops in the
// middle.
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import { elementAt } from '../../../format/element-at.ts';
import { filesUnder } from '../files.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { compile } from './compile.ts';

const EXAMPLE = resolve('generator/examples/slurm');

export const EXAMPLE_RELEASE = 'gadm-4.1';

/** Stops the first process with a value of an environment variable that writes its third piece of a file. */
const STOP_ONCE = `
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
const { writeFileSync } = fs;
const [name, value] = process.env.STOP_WHERE.split('=');
let pieces = 0;
fs.writeFileSync = (file, ...args) => {
  if (typeof file === 'number') pieces++;
  if (pieces === 3 && process.env[name] === value && !fs.existsSync(process.env.STOPPED)) {
    writeFileSync(process.env.STOPPED, '');
    process.kill(process.pid, 'SIGSTOP');
  }
  return writeFileSync(file, ...args);
};
syncBuiltinESMExports();
`;

/**
 * Copies the example.
 * @param parent folder of the copy; all nodes see it
 * @param stopWhere environment variable and value of the process to stop, such as `SLURM_ARRAY_TASK_ID=1`
 */
export function copySlurmExample(parent: string, stopWhere: string) {
  const own = temporaryFolder();
  const [folder, bin, stopped] = [join(parent, 'example'), join(own, 'bin'), join(own, 'stopped')];
  cpSync(EXAMPLE, folder, { recursive: true });
  mkdirSync(bin);
  writeFileSync(join(own, 'stop-once.mjs'), STOP_ONCE);
  const program = `exec '${process.execPath}' --import '${own}/stop-once.mjs' '${compile('generator/main.ts')}' "$@"`;
  writeFileSync(join(bin, 'boundaries-generator'), `#!/bin/sh\n${program}\n`, { mode: 0o755 });
  const readme = elementAt(readFileSync(join(folder, 'README.md'), 'utf8').split('```'), 1).replace(/^sh\n/, '');
  return {
    folder,
    /** There once a process is stopped. */
    stopped,
    /** For Slurm: the copy's generator comes first in its PATH. */
    env: {
      PATH: [bin, process.env['PATH'], '/usr/sbin'].join(delimiter),
      STOPPED: stopped,
      STOP_WHERE: stopWhere,
    },
    /** What the README types, with this source and output. */
    typed: (source: string, out: string): string =>
      readme.replace('/shared/gadm_410-levels.gpkg', source).replace('/shared/output', out),
    /** What the jobs have printed. */
    outputs: (): string =>
      filesUnder(folder)
        .filter((file) => file.endsWith('.out'))
        .map((file) => readFileSync(join(folder, file), 'utf8'))
        .join('\n'),
  };
}
