#!/usr/bin/env node
// The command line of the generator: its commands are in commands/.
import yargs from 'yargs';
import { hideBin } from 'yargs/helpers';
import { runProgram } from '../format/command-line/run-program.ts';
import { buildCommand, sealCommand } from './commands/build.ts';
import { activateCommand, diffCommand, listCommand, pruneCommand, signCommand } from './commands/releases.ts';
import { sampleCommand } from './commands/sample.ts';
import { verifyCommand } from './commands/verify.ts';
import { BuildError, toBuildError } from './report/errors.ts';
import { notedNode, runOn } from './source/gdal-node.ts';

/** The name of the program: compiled, it is installed by a package. */
const PROGRAM = import.meta.url.endsWith('.ts') ? 'generator' : 'boundaries-generator';

const program = yargs()
  .scriptName(PROGRAM)
  .usage('Publishes administrative boundaries as static files.\n\n$0 <command>')
  .option('quiet', { type: 'boolean', describe: 'hide progress' })
  .option('json', { type: 'boolean', describe: 'print the result as JSON' })
  .command(buildCommand)
  .command(sampleCommand)
  .command(sealCommand)
  .command(verifyCommand)
  .command(diffCommand)
  .command(listCommand)
  .command(activateCommand)
  .command(signCommand)
  .command(pruneCommand);

const other = notedNode();
if (other !== undefined) runOn(other);
await runProgram(program, hideBin(process.argv), (error) => {
  const known = toBuildError(error);
  return known instanceof BuildError ? known : undefined;
});
