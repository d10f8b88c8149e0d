// Optional packages (optional peer dependencies in package.json): the error for one that is not installed.
import { installCommand } from '../../format/command-line/install-command.ts';
import { BuildError } from './errors.ts';

/** Optional packages are not installed. */
export class MissingPackagesError extends BuildError {}

/**
 * The error for a feature whose packages are not installed; the remedy is the command that installs them.
 * @param what the feature that needs the packages
 * @param error the error of the import
 */
export function missingPackages(what: string, packages: readonly string[], error: unknown): MissingPackagesError {
  const reason = error instanceof Error ? error.message.split('\n', 1)[0] : String(error);
  return new MissingPackagesError(`${what} needs ${packages.join(', ')}: ${reason}`, installCommand(packages));
}
