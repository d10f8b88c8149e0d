// Optional packages (optional peer dependencies in package.json): the error for one that is not installed.
import { createRequire } from 'node:module';
import type { JsonObject } from '../../format/parse.ts';
import { objectFrom, textIn } from '../../format/parse.ts';
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
  const versions = peerVersions();
  const named = packages.map((name) => `"${name}@${textIn(versions, name, 'package.json')}"`);
  return new MissingPackagesError(
    `${what} needs ${packages.join(', ')}: ${reason}`,
    `npm install ${named.join(' ')}    (in a clone of the repository: npm run setup)`,
  );
}

/** Version ranges of the optional packages, by name. */
function peerVersions(): JsonObject {
  const file = 'administrative-boundaries-service/package.json';
  // A package may import itself by its name (Node.js, "Self-referencing a package").
  return objectFrom(objectFrom(createRequire(import.meta.url)(file), file)['peerDependencies'], file);
}
