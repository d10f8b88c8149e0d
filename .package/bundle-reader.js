// Makes the module that looks points up in browsers and in Node: proxy/points/reader.ts and what it imports, as one
// file.
import { createRequire } from 'node:module';
import { join } from 'node:path';

/**
 * Bundles the reader.
 * @param {string} root the project's folder
 * @param {string} outfile
 */
export async function bundleReader(root, outfile) {
  /** @type {typeof import('esbuild')} */
  const esbuild = createRequire(import.meta.url)('esbuild');
  await esbuild.build({
    entryPoints: [join(root, 'proxy', 'points', 'reader.ts')],
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'neutral',
    target: 'es2023',
    alias: { 'node:zlib': join(root, 'proxy', 'points', 'reader-crc32.ts') },
    legalComments: 'none',
    logLevel: 'warning',
  });
}
