// Packages that an installation may lack, because most do without: package.json has them as optional peers.
import { createRequire } from 'node:module';
import type { JsonObject } from '../../format/parse.ts';
import { objectFrom, textIn } from '../../format/parse.ts';
import { BuildError } from './errors.ts';

/**
 * Why something cannot be done here, and which packages to install.
 * @param what that needs the packages
 * @param error what importing them threw
 */
export function missingPackages(what: string, packages: readonly string[], error: unknown): BuildError {
  const reason = error instanceof Error ? error.message.split('\n', 1)[0] : String(error);
  const versions = peerVersions();
  const named = packages.map((name) => `"${name}@${textIn(versions, name, 'package.json')}"`);
  return new BuildError(
    `${what} needs ${packages.join(', ')}: ${reason}`,
    `npm install ${named.join(' ')}    (in a clone of the repository: npm run setup)`,
  );
}

/** The packages that this one can make use of, by name, each with its version. */
function peerVersions(): JsonObject {
  const file = 'administrative-boundaries-service/package.json';
  // A package may import itself by its name (Node.js, "Self-referencing a package").
  return objectFrom(objectFrom(createRequire(import.meta.url)(file), file)['peerDependencies'], file);
}
