// Runs Node with these arguments: this one, or the one that the set-up noted for what needs GDAL. `npm test` runs
// there, and starts its proxies on this one.
import { spawnSync } from 'node:child_process';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { notedNode } from './other-node.js';
import { say } from './run.js';

const other = notedNode(dirname(dirname(fileURLToPath(import.meta.url))));
const program = other ?? process.execPath;
const args = process.argv.slice(2);
if (other !== undefined) {
  say(`gdal-async has no binding for Node ${process.versions.node}: this runs on ${other}`);
  process.env['PROXY_NODE'] ??= process.execPath;
}
// In place of this process, where that is possible: nothing stands between the program and its signals.
if (process.platform !== 'win32') process.execve?.(program, [program, ...args]);
process.exitCode = spawnSync(program, args, { stdio: 'inherit' }).status ?? 1;
