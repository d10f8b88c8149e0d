// The proxy with several processes that share a port, as `serve --workers` starts them, for the tests of the contract.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { contentOf, encodeCursor } from '../../../format/cursor.ts';
import { CURRENT_PATH, RELEASE_FILE, RELEASES_PATH, releasePath } from '../../../format/layout.ts';
import { currentFromJson } from '../../../format/release.ts';
import { sha256Of } from '../files.ts';
import { send, type Target } from '../http/http-client.ts';
import { until } from '../until.ts';
import { issuerOptions, serve } from './proxy-process.ts';

/**
 * Starts the program, with another Node if `node` names one; it is killed when the test file ends.
 * @param out the output folder, of which the origin may be a copy
 * @param origin the arguments that name the origin
 */
export async function startProcesses(
  count: number,
  out: string,
  origin: readonly string[],
  { publicUrl, scope, node }: { publicUrl?: string; scope?: string; node?: string | undefined },
) {
  const chosen = { '--public-url': publicUrl, '--scope': scope };
  const given = Object.entries(chosen).flatMap(([name, value]) => (value === undefined ? [] : [name, value]));
  const options = [...issuerOptions(), '--workers', String(count), '--no-access-log', '--no-explorer'];
  const { url, err } = await serve([...origin, ...options, ...given], {}, node === undefined ? {} : { node });
  const target = { url, takesTurns: true } as const;
  return {
    ...target,
    get log() {
      return err()
        .split('\n')
        .filter((line) => line !== '' && !/ serving release \S+( at http:\S+)?$/.test(line));
    },
    releases: {
      /** Resolves when every process serves what current.json says. */
      async refresh() {
        await until(
          () => followPointer(target, count, out),
          () => `not every process serves ${readFileSync(join(out, CURRENT_PATH), 'utf8')}`,
        );
      },
    },
  };
}

/** Do all processes serve the current release, and accept cursors of the hosted releases alone? */
async function followPointer(target: Target, count: number, out: string): Promise<boolean> {
  const { release, hosted } = currentFromJson(readFileSync(join(out, CURRENT_PATH), 'utf8'), CURRENT_PATH);
  const path = '/api/v1/fc/lv0?page-size=1';
  const cursors = readdirSync(join(out, RELEASES_PATH)).map((id) => {
    const content = contentOf(sha256Of(join(out, releasePath(id), RELEASE_FILE)));
    const cursor = encodeCursor({ release: id, content, level: 0, position: 0 });
    return { path: `${path}&start-at=${cursor}`, status: hosted.includes(id) ? 200 : 410, of: id };
  });
  const isAnswered = async (expected: (typeof cursors)[number]): Promise<boolean> => {
    const { status, headers } = await send(target, expected.path);
    return status === expected.status && (status !== 200 || headers['boundaries-release'] === expected.of);
  };
  // Connections go to the processes in turn: two rounds ask each of them.
  const rounds = Array.from({ length: 2 * count });
  for (const _ of rounds) if (!(await isAnswered({ path, status: 200, of: release }))) return false;
  // At once: before it answers 410, a process looks at the pointer again, which it does a few times a second.
  const answers = await Promise.all(cursors.flatMap((cursor) => rounds.map(() => isAnswered(cursor))));
  return !answers.includes(false);
}
