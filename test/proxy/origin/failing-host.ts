// What becomes of answers when the host that has the files fails: the tests for a static host, for one that is read
// with `fetch`, and for a bucket. A wrong page is never answered as if it were right: a problem before the first byte,
// a cut connection after it.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, test } from 'node:test';
import { pagePath, releasePath } from '../../../format/layout.ts';
import type { Format, Level } from '../../../format/levels.ts';
import { checkedStream, rangeParts } from '../../../proxy/bodies/checked-stream.ts';
import { HOST_LIMITS, type HostLimits } from '../../../proxy/origin/host-response.ts';
import { type Origin, QueuedReads, type Recipient } from '../../../proxy/origin/origin.ts';
import { VirtualTime } from '../../simulation/virtual-time.ts';
import { bodyOf, ONE_LARGE, readStored, type StoredLevel } from '../../support/datasets/large-dataset.ts';
import { lastingHeaders, send, textOf } from '../../support/http/http-client.ts';
import { type RunningService, startService } from '../../support/http/in-process-proxy.ts';
import type { Fault, RunningHost } from '../../support/http/static-host.ts';
import { worldOutput } from '../../support/releases/world.ts';
import { until } from '../../support/until.ts';
import type { HostFault } from './host-faults.ts';

/** The usual limits, measured by a time of their own: none passes but by `giveUp`, however busy the machine is. */
export class TestLimits implements HostLimits {
  readonly idleMs = HOST_LIMITS.idleMs;
  readonly readMs = HOST_LIMITS.readMs;
  waits = 0;
  readonly time = new VirtualTime();

  readonly now = (): number => this.time.now;

  readonly after = (ms: number, run: () => void): (() => void) => {
    this.waits++;
    return this.time.after(ms, run);
  };

  /** Waits for what ends, again and again, because the host is silent for too long. */
  async giveUp<Result>(work: Promise<Result>): Promise<Result> {
    let isOver = false;
    const end = (): void => {
      isOver = true;
    };
    work.then(end, end);
    await until(async () => {
      await this.time.pass(this.idleMs);
      return isOver;
    }, 'the host is waited for without end');
    return work;
  }
}

/** The client of what is read without a request. */
export const NOBODY: Recipient = { principal: '', isClosed: false, exchange: undefined };

/** An output folder in which one page is larger than what is ever held at once. */
export function buildWorld(): Promise<string> {
  return worldOutput({ size: ONE_LARGE, pages: 'unfiltered', isFullAlone: true });
}

/** A request that is answered from one file, and the features that it must give. */
interface Asked {
  query: string;
  format: Format;
  level: Level;
  /** Number of the first feature, and how many. */
  start: number;
  count: number;
}

/** A small page, a large one, and what is cut from either; as gzip or not. */
const ASKED = (
  [
    [{ level: 2, query: '', count: 50 }, 'gzip'],
    [{ level: 2, query: '', count: 50 }, 'identity'],
    [{ level: 0, query: '', count: 20 }, 'gzip'],
    [{ level: 0, query: '', count: 20 }, 'identity'],
    [{ level: 2, query: '?page-size=3', count: 3 }, 'identity'],
    [{ level: 0, query: '?page-size=2&start-at=1', count: 2 }, 'gzip'],
  ] as const
).map(([one, coding]): [Asked, string] => [{ ...one, format: 'geojsonl', start: 0 }, coding]);

/** `right`, the code of a problem, or how it was cut; fails when an answer looks right and is not. */
async function outcomeOf(
  proxy: RunningService,
  stored: readonly StoredLevel[],
  { query, format, level, start, count }: Asked,
  coding: string,
): Promise<string> {
  const path = `/api/v1/${format}/lv${level}${query}`;
  const answer = await send(proxy, path, { 'accept-encoding': coding }).catch(() => undefined);
  if (answer === undefined) return 'cut';
  if (answer.status !== 200) {
    const text = answer.body.toString();
    assert.doesNotMatch(text, /releases|lv\d|127\.0\.0\.1|html|secret|geojsonl|000001|\.gz/i);
    assert.equal(answer.headers['content-type'], 'application/problem+json');
    return JSON.parse(text).code;
  }
  let text: string;
  try {
    text = textOf(answer);
  } catch {
    return 'no gzip';
  }
  const expected = bodyOf(format, stored[level]?.lines.slice(start, start + count) ?? []);
  assert.ok(text === expected, `${path} as ${coding}: looks right and is not`);
  return 'right';
}

/** Fails the pages and features, not the metadata. */
export function onPages(fail: HostFault['fail']): Fault {
  return (req, res, file) => {
    if (!file.endsWith('.gz')) return false;
    fail(res, file, req.headers.range);
    return true;
  };
}

export interface TestedHost {
  folder: string;
  host: RunningHost;
  open(limits: HostLimits): Origin | Promise<Origin>;
}

/** A proxy that has read nothing but metadata. */
export async function startProxy({ folder, open }: TestedHost, limits = new TestLimits()): Promise<RunningService> {
  return startService(folder, { origin: await open(limits) });
}

export function testFaults(tested: TestedHost, faults: readonly HostFault[]): void {
  const { folder, host } = tested;
  const stored = readStored(folder, 'r1');

  beforeEach(() => {
    host.fault = undefined;
    host.asked = [];
  });

  /** What a proxy that has read no page yet makes of every request; its lines are added to `logged`. */
  async function outcomes(logged: string[] = [], isSlow = false): Promise<string[]> {
    const limits = new TestLimits();
    const proxy = await startProxy(tested, limits);
    const all = Promise.all(ASKED.map(([one, coding]) => outcomeOf(proxy, stored, one, coding)));
    const seen = isSlow ? await limits.giveUp(all) : await all;
    logged.push(...proxy.log);
    return seen;
  }

  test('intact pages are passed on, and what is cut from them, also by a host that ignores Range', async () => {
    assert.deepEqual(new Set(await outcomes()), new Set(['right']));
    host.fault = onPages((res, file) => res.writeHead(200).end(readFileSync(file)));
    assert.deepEqual(new Set(await outcomes()), new Set(['right']));
  });

  test('a host that fails before the first byte or half-way: 502, 503 in an outage, 504 when it is slow, a cut connection, and no secret', async () => {
    const logged: string[] = [];
    for (const { what, fail, code, others } of faults) {
      host.fault = onPages(fail);
      const [first, ...more] = await outcomes(logged, code === 'origin-slow');
      assert.equal(first, code, what);
      for (const outcome of more) assert.match(outcome, others, what);
    }
    assert.ok(logged.length >= 2 * faults.length);
    host.fault = undefined;
    assert.deepEqual(new Set(await outcomes(logged)), new Set(['right']));
    assert.doesNotMatch(logged.join('\n'), /secret|Bearer|Signature/i);
  });
}

/**
 * Declares the tests of what is said between proxy and host, for each program that says it.
 * @param isDecoded does the platform undo a Content-Encoding of the host before the origin sees the bytes?
 */
export function testConversation(tested: TestedHost, isDecoded = false): void {
  const { folder, host, open } = tested;

  test('nothing that the host says reaches the client but the bytes of the page', async () => {
    const asks = { 'accept-encoding': 'gzip', host: 'a.test' };
    const plain = await send(await startProxy(tested), '/api/v1/geojsonl/lv2', asks);
    host.fault = onPages((res, file) => {
      res.writeHead(200, 'Sure', {
        'Set-Cookie': 'a=b',
        'Cache-Control': 'public, max-age=999',
        ETag: '"host"',
        Link: '<x>; rel="next"',
        'Content-Type': 'text/html',
        ...(isDecoded ? {} : { 'Content-Encoding': 'gzip' }),
        Location: 'http://x/',
        Server: 'nginx',
        'Access-Control-Allow-Credentials': 'true',
        Trailer: 'X-Late',
        Connection: 'close',
        'X-Amz-Meta': 'secret',
      });
      res.addTrailers({ 'X-Late': 'secret' });
      res.end(readFileSync(file));
    });
    const answer = await send(await startProxy(tested), '/api/v1/geojsonl/lv2', asks);
    const expected = [200, lastingHeaders(plain), plain.body];
    assert.deepEqual([answer.status, lastingHeaders(answer), answer.body], expected);
  });

  test('connections to the host are kept, and one that it closed meanwhile is replaced', async () => {
    const proxy = await startProxy(tested);
    // Each asks for a page or features that was not asked for before.
    const [first = '', ...rest] = [1, 3, 4, 5].flatMap((level) => [
      `geojsonl/lv${level}?page-size=2`,
      `geojsonl/lv${level}`,
      `fc/lv${level}`,
    ]);
    const isAnswered = async (path: string): Promise<void> =>
      assert.equal((await send(proxy, `/api/v1/${path}`)).status, 200, path);
    await isAnswered(first);
    let connections = 0;
    host.server.on('connection', () => connections++);
    host.asked = [];
    for (const path of rest) await isAnswered(path);
    assert.deepEqual([connections, host.asked.filter(({ url }) => url.endsWith('.gz')).length], [0, rest.length]);
    for (const path of ['fc/lv2', 'geojsonl/lv2?page-size=2', 'geojsonl/lv2']) {
      // It closes the connection just as the proxy asks again.
      host.fault = ({ socket }) => {
        host.fault = undefined;
        socket.destroy();
        return true;
      };
      await isAnswered(path);
    }
  });

  test('metadata that trickles, or of which only the beginning comes, is given up', async () => {
    const limits = new TestLimits();
    const origin = await open(limits);
    let drip = (): unknown => undefined;
    host.fault = (_req, res) => {
      res.writeHead(200);
      drip = () => res.write('a');
      return true;
    };
    let reason: unknown;
    origin.read('current.json', 1e9).catch((error) => {
      reason = error.reason;
    });
    // The host is never silent for too long, but all together takes more time than there is.
    const steps = (2 * limits.readMs) / limits.idleMs;
    for (let step = 0; step < steps; step++) {
      assert.equal(reason, undefined, `given up after ${limits.now()} ms`);
      const { waits } = limits;
      await until(() => {
        drip();
        return limits.waits > waits;
      }, 'what the host sends does not come');
      await limits.time.pass(limits.idleMs / 2);
    }
    await until(() => reason !== undefined, 'it is not given up');
    assert.equal(reason, 'slow');
    host.fault = (_req, res) => res.write('a') || true;
    await assert.rejects(limits.giveUp(origin.read('current.json', 1e9)), { reason: 'slow' });
  });

  test('who reads slowly is waited for, longer than the host may keep us waiting: each piece is a request', async () => {
    const limits = new TestLimits();
    const path = join(releasePath('r1'), pagePath(0, 'geojsonl', 'all', 0));
    const reads = new QueuedReads(await open(limits));
    const expected = readFileSync(join(folder, path));
    const chunks: Buffer[] = [];
    const range = { offset: 0, length: expected.length };
    const parts = rangeParts({ reads, client: NOBODY, path, range, at: 0 }, () => true);
    for await (const chunk of checkedStream(reads, parts, 0, range.length)) {
      chunks.push(chunk);
      await limits.time.pass(2 * limits.readMs);
    }
    assert.ok(chunks.length > 1 && Buffer.concat(chunks).equals(expected));
  });
}
