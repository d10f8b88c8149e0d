// Commands of README files as they are typed, with the compiled programs: tsx takes seconds of CPU for each.
import { chmodSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { temporaryFolder } from '../temporary-folder.ts';
import { compile } from './compile.ts';

/** The environment of a shell in which `npx tsx proxy/main.ts` and that of the generator run what is compiled. */
export function withCompiledPrograms(): NodeJS.ProcessEnv {
  const folder = temporaryFolder();
  const programs = ['generator/main.ts', 'proxy/main.ts'].map(
    (file) => `  'tsx ${file}') shift 2; exec '${process.execPath}' '${compile(file)}' "$@" ;;\n`,
  );
  const npx = join(folder, 'npx');
  writeFileSync(npx, `#!/bin/sh\ncase "$1 $2" in\n${programs.join('')}esac\necho "npx $*?" >&2\nexit 127\n`);
  chmodSync(npx, 0o755);
  return { ...process.env, PATH: `${folder}${delimiter}${process.env['PATH']}` };
}
