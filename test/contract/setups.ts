// What the HTTP contract is tested on: each origin that the proxy reads from, each choice of stored pages, one process
// and two, and workerd.
import type { StoredPages } from '../../format/levels.ts';
import { directoryOrigin } from '../../proxy/origin/directory.ts';
import { s3Origin } from '../../proxy/origin/s3.ts';
import { staticHostOrigin } from '../../proxy/origin/static-host.ts';
import type { Target } from '../support/http/http-client.ts';
import { type ServiceOptions, startService } from '../support/http/in-process-proxy.ts';
import { BUCKET, startS3 } from '../support/http/s3-server.ts';
import { startStaticHost } from '../support/http/static-host.ts';
import { startProcesses } from '../support/processes/worker-processes.ts';
import { startWorker } from '../support/processes/workerd.ts';

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

/** Cloudflare's runtime. test/process/worker.ci.test.ts has what workerd itself answers. */
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

/** Compared with it in `npm test`: every origin, the public service, and one without stored pages. */
export const COMPARED: readonly Setup[] = [
  inThisProcess('static host', 'all'),
  inThisProcess('bucket', 'all'),
  inThisProcess('directory', 'all', true),
  inThisProcess('directory', 'none'),
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
