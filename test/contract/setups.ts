// What the HTTP contract is tested on: each origin that the proxy reads from, each choice of stored pages, one process and two,
// and workerd.
import { elementAt } from '../../format/element-at.ts';
import type { StoredPages } from '../../format/levels.ts';
import { STORED_PAGES } from '../../format/levels.ts';
import { directoryOrigin } from '../../proxy/origin/directory.ts';
import type { Origin } from '../../proxy/origin/origin.ts';
import { s3Origin } from '../../proxy/origin/s3.ts';
import { staticHostOrigin } from '../../proxy/origin/static-host.ts';
import type { Target } from '../support/http/http-client.ts';
import type { ServiceOptions } from '../support/http/in-process-proxy.ts';
import { startService } from '../support/http/in-process-proxy.ts';
import { BUCKET, startS3 } from '../support/http/s3-server.ts';
import { startStaticHost } from '../support/http/static-host.ts';
import { startProcesses } from '../support/processes/worker-processes.ts';
import { startWorker } from '../support/processes/workerd.ts';

/** What the contract is tested on. */
export interface Setup {
  name: string;
  pages: StoredPages;
  /** Why parts of the contract differ on a platform; the tests of these parts are skipped. */
  exceptions: Exceptions;
  /** Do challenges name the metadata of the service (RFC 9728)? */
  hasMetadata: boolean;
  /** Starts a proxy for the output folder `out`; it stops when the test file ends. */
  start(out: string, options?: ContractOptions): Promise<ContractService>;
}

/** What tests of the contract may choose about a proxy. */
export type ContractOptions = Pick<ServiceOptions, 'publicUrl' | 'scope'>;

/** What tests of the contract use of a proxy. */
export interface ContractService extends Target {
  /** Lines that it logged. */
  log: readonly string[];
  releases: { refresh(): Promise<unknown> };
}

/** Parts of the contract that a platform may prevent. */
export type Exceptions = Readonly<
  Partial<Record<'repeated headers' | 'too large headers' | 'invalid HTTP' | 'requests in one packet', string>>
>;

const ORIGINS: Readonly<Record<string, (out: string) => Promise<Origin>>> = {
  directory: async (out) => directoryOrigin(out),
  'static host': async (out) => staticHostOrigin({ url: (await startStaticHost(out)).url, headers: {} }),
  bucket: async (out) => {
    const prefix = 'eu/';
    return s3Origin({ bucket: BUCKET, prefix }, { endpoint: (await startS3({ folder: out, prefix })).endpoint });
  },
};

/** A static host answers requests for pages and for ranges; which pages are stored makes no other difference to it. */
const HOST_PAGES: readonly StoredPages[] = ['all', 'none'];

const NODE_SETUPS: readonly Setup[] = Object.entries(ORIGINS).flatMap(([origin, open]) =>
  (origin === 'directory' ? STORED_PAGES : HOST_PAGES).map((pages) => ({
    name: `${origin}, ${pages} pages stored`,
    pages,
    exceptions: {},
    hasMetadata: false,
    start: async (out, options = {}) => startService(out, { origin: await open(out), ...options }),
  })),
);

/** Of Cloudflare Workers: workerd itself parses HTTP. test/process/worker.test.ts shows what it answers instead. */
const WORKERD_EXCEPTIONS: Exceptions = {
  'repeated headers':
    'Workers join the values of a header that occurs several times, and refuse a request without Host',
  'too large headers': 'Workers respond to headers of more than 64 KiB themselves',
  'invalid HTTP': 'Workers respond to what is not HTTP themselves',
  'requests in one packet': 'Workers respond to what is not HTTP themselves',
};

const WORKERD_SETUPS: readonly Setup[] = HOST_PAGES.map((pages) => ({
  name: `workerd with a static host, ${pages} pages stored`,
  pages,
  exceptions: WORKERD_EXCEPTIONS,
  hasMetadata: true,
  async start(out, { publicUrl, scope } = {}) {
    const { url } = await startStaticHost(out);
    const vars = { ORIGIN_URL: url.href, CURRENT_CACHE: '0s', PUBLIC_URL: publicUrl, SCOPE: scope };
    // It looks at current.json before each request: there is nothing to refresh.
    return { ...(await startWorker({ vars })), releases: { refresh: async () => undefined } };
  },
}));

/** The arguments of `serve` for each origin. */
const ORIGIN_ARGUMENTS: Readonly<Record<string, { pages: StoredPages; open(out: string): Promise<string[]> }>> = {
  directory: { pages: 'unfiltered', open: async (out) => ['--origin', out] },
  'static host': { pages: 'all', open: async (out) => ['--origin', (await startStaticHost(out)).url.href] },
  bucket: {
    pages: 'none',
    async open(out) {
      const prefix = 'eu/';
      const { endpoint } = await startS3({ folder: out, prefix });
      return ['--origin', `s3://${BUCKET}/${prefix}`, '--s3-endpoint', endpoint];
    },
  },
};

/** The program as it is started, with two processes that share a port. */
const PROCESS_SETUPS: readonly Setup[] = Object.entries(ORIGIN_ARGUMENTS).map(([origin, { pages, open }]) => ({
  name: `${origin}, ${pages} pages stored, two processes`,
  pages,
  exceptions: {},
  hasMetadata: true,
  start: async (out, options = {}) => startProcesses(2, out, await open(out), options),
}));

const ALL: readonly Setup[] = [...NODE_SETUPS, ...PROCESS_SETUPS, ...WORKERD_SETUPS];

/** A sample, in which every origin and every choice of stored pages occurs. */
export const IN_PROCESS: readonly Setup[] = named([
  'directory, all pages stored',
  'static host, none pages stored',
  'bucket, all pages stored',
]);
export const TWO_PROCESSES: Setup = elementAt(named(['directory, unfiltered pages stored, two processes']), 0);
export const IN_WORKERD: Setup = elementAt(named(['workerd with a static host, all pages stored']), 0);

/** All others. */
export const OTHERS: readonly Setup[] = ALL.filter(
  (setup) => ![...IN_PROCESS, TWO_PROCESSES, IN_WORKERD].includes(setup),
);

function named(names: readonly string[]): readonly Setup[] {
  return names.map((name) => {
    const setup = ALL.find((candidate) => candidate.name === name);
    if (setup === undefined) throw new Error(`no setup is called ${name}`);
    return setup;
  });
}
