// What the HTTP contract is tested on: each origin that the proxy reads from, each choice of stored pages, one process
// and two, and workerd.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { currentFromJson } from '../../format/current-json.ts';
import { contentOf, encodeCursor } from '../../format/cursor.ts';
import { CURRENT_PATH, RELEASE_FILE, RELEASES_PATH, releasePath } from '../../format/layout.ts';
import type { StoredPages } from '../../format/levels.ts';
import { NO_TURNS } from '../../proxy/http/guards.ts';
import { directoryOrigin } from '../../proxy/origin/directory.ts';
import { s3Origin } from '../../proxy/origin/s3.ts';
import { staticHostOrigin } from '../../proxy/origin/static-host.ts';
import { sha256Of } from '../support/files.ts';
import { send, type Target } from '../support/http/http-client.ts';
import { type ServiceOptions, startService } from '../support/http/in-process-proxy.ts';
import { BUCKET, startS3 } from '../support/http/s3-server.ts';
import { startStaticHost } from '../support/http/static-host.ts';
import { issuerOptions, serve } from '../support/processes/proxy-process.ts';
import { startWorker } from '../support/processes/workerd.ts';
import { until } from '../support/until.ts';

export interface Setup {
  name: string;
  pages: StoredPages;
  /** Does its platform parse HTTP? What that answers to bytes that are hardly HTTP is its own. */
  isParsedBefore: boolean;
  /** Does it serve everybody? Tokens, which the tests send, are then ignored. */
  isPublic: boolean;
  /** Starts a proxy for the output folder `out`; it stops when the test file ends. */
  start(out: string, options?: ContractOptions): Promise<ContractService>;
}

export type ContractOptions = Pick<ServiceOptions, 'publicUrl' | 'scope'>;

export interface ContractService extends Target {
  log: readonly string[];
  releases: { refresh(): Promise<unknown> };
}

const PREFIX = 'eu/';

/** Opens the releases of an output folder, and names the arguments of `serve` with which a process does. */
const ORIGINS = {
  directory: async (out: string) => ({ origin: directoryOrigin(out), args: ['--origin', out] }),
  async 'static host'(out: string) {
    const { url } = await startStaticHost(out);
    return { origin: staticHostOrigin({ url, headers: {} }), args: ['--origin', url.href] };
  },
  async bucket(out: string) {
    const { endpoint } = await startS3({ folder: out, prefix: PREFIX });
    return {
      origin: await s3Origin({ bucket: BUCKET, prefix: PREFIX }, { endpoint }),
      args: ['--origin', `s3://${BUCKET}/${PREFIX}`, '--s3-endpoint', endpoint],
    };
  },
};
type OriginName = keyof typeof ORIGINS;

/** Guards that do nothing: the rules need none. */
const NO_GUARDS: ServiceOptions['guards'] = {
  turns: NO_TURNS,
  held: { total: 0, admit: () => {}, hold: () => {} },
};

/** A directory without guards: turns, held bytes, and limits, which no setup has. */
const UNGUARDED: Setup = {
  ...inThisProcess('directory', 'all'),
  name: 'directory, without guards',
  start: async (out, options = {}) => startService(out, { guards: NO_GUARDS, metadata: true, ...options }),
};

function inThisProcess(origin: OriginName, pages: StoredPages, isPublic = false): Setup {
  return {
    name: `${origin}, ${pages} pages stored${isPublic ? ', public' : ''}`,
    pages,
    isParsedBefore: false,
    isPublic,
    start: async (out, options = {}) =>
      startService(out, { origin: (await ORIGINS[origin](out)).origin, isPublic, metadata: !isPublic, ...options }),
  };
}

/** The program as it is started, with two processes that share a port. @param node another Node that runs it */
export function inTwoProcesses(origin: OriginName, pages: StoredPages, node?: string): Setup {
  return {
    name: `${origin}, ${pages} pages stored, two processes`,
    pages,
    isParsedBefore: false,
    isPublic: false,
    start: async (out, options = {}) => startProcesses(2, out, (await ORIGINS[origin](out)).args, { ...options, node }),
  };
}

/** Cloudflare's runtime. test/proxy/fetch/worker.ci.ts has what workerd itself answers. */
function inWorkerd(pages: StoredPages): Setup {
  return {
    name: `workerd with a static host, ${pages} pages stored`,
    pages,
    isParsedBefore: true,
    isPublic: false,
    async start(out, { publicUrl, scope } = {}) {
      const { url } = await startStaticHost(out);
      const vars = { ORIGIN_URL: url.href, CURRENT_CACHE: '0s', PUBLIC_URL: publicUrl, SCOPE: scope };
      // It looks at current.json before each request: there is nothing to refresh.
      return { ...(await startWorker({ vars })), releases: { refresh: async () => undefined } };
    },
  };
}

/** On which each rule is tested. */
export const DIRECTORY: Setup = inThisProcess('directory', 'all');

/** Compared with it in `npm test`: every origin, the public service, one without stored pages, one without guards. */
export const COMPARED: readonly Setup[] = [
  inThisProcess('static host', 'all'),
  inThisProcess('bucket', 'all'),
  inThisProcess('directory', 'all', true),
  inThisProcess('directory', 'none'),
  UNGUARDED,
];

/** Compared with it on each landing. */
export const COMPARED_ON_LANDING: readonly Setup[] = [
  inThisProcess('directory', 'unfiltered'),
  inTwoProcesses('directory', 'all'),
  inWorkerd('all'),
];

/** Compared with it once a week. */
export const OTHERS: readonly Setup[] = [
  inThisProcess('static host', 'none'),
  inThisProcess('bucket', 'none'),
  inTwoProcesses('static host', 'unfiltered'),
  inTwoProcesses('bucket', 'none'),
  inWorkerd('none'),
];

/**
 * Starts the program, with another Node if `node` names one; it is killed when the test file ends.
 * @param out the output folder, of which the origin may be a copy
 * @param origin the arguments that name the origin
 */
async function startProcesses(
  count: number,
  out: string,
  origin: readonly string[],
  { publicUrl, scope, node }: ContractOptions & { node?: string | undefined },
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
        .filter((line) => line !== '' && !/ (loading|serving) release \S+( at http:\S+)?$/.test(line));
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
