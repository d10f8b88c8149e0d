// The command that installs optional packages (optional peer dependencies in package.json), for the remedies of both
// programs.
import { createRequire } from 'node:module';
import { objectFrom, textIn } from '../parse.ts';

/** `npm install` with the versions that this package needs. */
export function installCommand(packages: readonly string[]): string {
  const file = 'administrative-boundaries-service/package.json';
  // A package may import itself by its name (Node.js, "Self-referencing a package").
  const versions = objectFrom(objectFrom(createRequire(import.meta.url)(file), file)['peerDependencies'], file);
  const named = packages.map((name) => `"${name}@${textIn(versions, name, 'package.json')}"`);
  return `npm install ${named.join(' ')}    (in a clone of the repository: npm run setup)`;
}
