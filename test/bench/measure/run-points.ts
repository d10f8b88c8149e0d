// The command `points` on a table, as a user runs it. Used by the benchmarks of points.
import { spawnSync } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { compile } from '../../support/processes/compile.ts';

/**
 * Looks the points of a table up in all levels.
 * @param out folder of the release @param asked the table @param found where the answer is written
 * @returns the last two lines of what it says: what it did, and how much memory it took at most
 */
export function runPoints(out: string, asked: string, found: string): string {
  const output = openSync(found, 'w');
  const peak = `process.on('exit', () => console.error(Math.round(process.resourceUsage().maxRSS / 1024), 'MiB'))`;
  const args = ['--import', `data:text/javascript,${encodeURIComponent(peak)}`, compile('proxy/main.ts'), 'points'];
  const { stderr } = spawnSync(process.execPath, [...args, '--origin', out, asked], {
    stdio: ['ignore', output, 'pipe'],
    encoding: 'utf8',
  });
  closeSync(output);
  return stderr.trim().split('\n').slice(-2).join('; ');
}
