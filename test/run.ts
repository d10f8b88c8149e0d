// Runs the tests: `npm test` those of *.test.ts, `npm run test:long` the long matrices of *.long.test.ts. Prints a line for
// each file, what failed, the slowest files and node's closing summary.
import { readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { run } from 'node:test';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { reportFiles } from './support/report-files.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const CONCURRENCY = 2;
/** For a file, in milliseconds. */
const TIMEOUT = { short: 240_000, long: 600_000 };

const { values } = parseArgs({ options: { long: { type: 'boolean', default: false } } });

const files = readdirSync(join(ROOT, 'test'), { withFileTypes: true, recursive: true })
  .filter((entry) => entry.isFile() && entry.name.endsWith('.test.ts'))
  .map((entry) => join(entry.parentPath, entry.name))
  .filter((file) => file.endsWith('.long.test.ts') === values.long)
  .sort();

process.chdir(ROOT);
const timeout = values.long ? TIMEOUT.long : TIMEOUT.short;
const hasPassed = await reportFiles(
  run({ files, concurrency: CONCURRENCY, timeout }),
  (file) => relative(ROOT, file),
  (text) => process.stdout.write(text),
);
if (!hasPassed) process.exitCode = 1;
