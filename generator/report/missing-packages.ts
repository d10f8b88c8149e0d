// Optional packages (optional peer dependencies in package.json): the error for one that is not installed.
import { installCommand } from '../../format/command-line/messages.ts';
import { BuildError } from './errors.ts';

/**
 * The error for a feature whose packages are not installed; the remedy is the command that installs them.
 * @param what the feature that needs the packages
 * @param error the error of the import
 */
export function missingPackages(what: string, packages: readonly string[], error: unknown): BuildError {
  const reason = error instanceof Error ? error.message.split('\n', 1)[0] : String(error);
  return new BuildError(`${what} needs ${packages.join(', ')}: ${reason}`, installCommand(packages));
}
