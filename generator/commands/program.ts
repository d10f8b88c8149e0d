// The command line of the generator: its commands. main.ts runs it.
import yargs, { type Argv } from 'yargs';
import { BuildError, toBuildError } from '../report/errors.ts';
import { buildCommand, sealCommand } from './build.ts';
import { changesCommand, diffCommand } from './changes.ts';
import { activateCommand, listCommand, pruneCommand, removeCommand, signCommand } from './releases.ts';
import { restoreCommand } from './restore.ts';
import { sampleCommand } from './sample.ts';
import { verifyCommand } from './verify.ts';

/** The name of the program: compiled, it is installed by a package. */
const PROGRAM = import.meta.url.endsWith('.ts') ? 'generator' : 'boundaries-generator';

/** Its commands, for arguments to be parsed with. */
export function program(): Argv {
  return yargs()
    .scriptName(PROGRAM)
    .usage('Publishes administrative boundaries as static files.\n\n$0 <command>')
    .option('quiet', { type: 'boolean', describe: 'hide progress' })
    .option('json', { type: 'boolean', describe: 'print the result as JSON' })
    .command(buildCommand)
    .command(sampleCommand)
    .command(sealCommand)
    .command(verifyCommand)
    .command(changesCommand)
    .command(diffCommand)
    .command(listCommand)
    .command(activateCommand)
    .command(signCommand)
    .command(pruneCommand)
    .command(removeCommand)
    .command(restoreCommand);
}

/** An error whose cause is known. */
export function explain(error: unknown): BuildError | undefined {
  const known = toBuildError(error);
  return known instanceof BuildError ? known : undefined;
}
