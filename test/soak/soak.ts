// The soak: two proxies as a user starts them, one on a folder, one on a static host that fails now and then, under
// mixed traffic for as long as one likes, while releases and keys change. Run by command.ts and, for a moment, by
// soak.long.ts.

import { existsSync } from 'node:fs';
import { globalAgent } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { elementAt } from '../../format/element-at.ts';
import { HOST_FAULTS } from '../proxy/origin/host-faults.ts';
import { type Dice, dice } from '../support/dice.ts';
import { AUDIENCE } from '../support/http/in-process-proxy.ts';
import { type RunningHost, startStaticHost } from '../support/http/static-host.ts';
import { compile } from '../support/processes/compile.ts';
import { type Running, serve } from '../support/processes/proxy-process.ts';
import { type Asker, behaveBadly, Excused, isBad, type SoakedProxy, type Tally } from './asker.ts';
import { growthIn, type Reading, readingOf } from './growth.ts';
import { type Published, startPublishing } from './published.ts';
import { askAnything, drawListings } from './requests.ts';
import { KEY_OPTIONS, type RotatingTokens, startTokens } from './rotating-tokens.ts';

export interface SoakOptions {
  /** Intervals, each ended by a reading. */
  intervals: number;
  /** How long each is: so many requests, or seconds of traffic. */
  length: { requests: number } | { seconds: number };
  /** Clients at a time; every fourth one is slow or vanishes. */
  clients: number;
  seed: number;
}

export interface SoakResult {
  requests: number;
  switches: number;
  rotations: number;
  /** Requests that the static host failed. */
  hostFailures: number;
  /** Answers that a client must be ready for, by kind. */
  errors: ReadonlyMap<string, number>;
  /** What must not be: wrong answers, and a proxy that ends badly. */
  wrong: readonly string[];
  /** What has grown, by proxy; undefined if there are too few readings to say. */
  growth: readonly string[] | undefined;
}

/** A proxy and what it held at the end of each interval. */
interface Watched extends SoakedProxy {
  running: Running;
  metrics: string;
  readings: Reading[];
}

/** A request that has not ended so long after the last one was sent never will, on a busy machine too. */
const END_MAX_MS = 180_000;
/** How often it is looked at how much of an interval is over. */
const LOOK_MS = 50;
/** Changes of the current release in an interval. */
const SWITCHES = 6;
/** After so many, the soak ends. */
const WRONG_MAX = 20;

/** One in this many requests fails during a spell. */
const FAILS_EVERY = 3;
/** The proxy waits ten seconds for a silent host, and five before it reads metadata again. */
const AFTERMATH_MS = 20_000;
/** All of them but the one that takes the bytes of another level, which need not have as many files. */
const FAULTS_OF_FILES = HOST_FAULTS.filter(({ what }) => what !== 'another page');
/** Of metadata, of which wrong bytes would be remembered for half a minute. */
const NO_BYTES: ReadonlySet<string> = new Set(['404', '503', 'a closed connection', 'cut half-way', 'no answer']);
const FAULTS_OF_METADATA = HOST_FAULTS.filter(({ what }) => NO_BYTES.has(what));

/** Runs a soak. @param print receives a line for each interval and each fault */
export async function soak(options: SoakOptions, print: (line: string) => void): Promise<SoakResult> {
  const { intervals, length, clients, seed } = options;
  const published = await startPublishing();
  drawListings(published);
  const tokens = await startTokens();
  const host = await startStaticHost(published.out);
  const spells = failingSpells(host, dice(seed));
  const proxies = [
    await startProxy('folder', published.out, tokens, () => false),
    await startProxy('static host', host.url.href, tokens, (begun) => spells.mayExplain(begun)),
  ];
  const tally: Tally = { requests: 0, errors: new Map() };
  const wrong: string[] = [];
  const fail = (line: string): void => {
    wrong.push(line);
    print(`WRONG: ${line}`);
  };
  const askers = Array.from({ length: clients }, (_, number): Asker => {
    const own = { number, random: dice(seed + 1 + number), proxy: elementAt(proxies, number % proxies.length) };
    return { ...own, published, tokens, tally };
  });
  const onError = ({ proxy }: Asker, error: Error): void => {
    if (!(error instanceof Excused)) fail(`${proxy.name}: ${error.message}`);
  };
  const random = dice(seed + clients * 3);
  const started = performance.now();
  let isAnswered = true;
  for (let interval = 0; interval < intervals && isAnswered && wrong.length < WRONG_MAX; interval++) {
    const [before, begun] = [tally.requests, performance.now()];
    const seconds = (): number => (performance.now() - begun) / 1000;
    const share = (): number =>
      'requests' in length ? (tally.requests - before) / length.requests : seconds() / length.seconds;
    const isOver = (): boolean => share() >= 1 || wrong.length >= WRONG_MAX;
    // The host fails for a sixth of every second interval; keys are replaced in each.
    if (interval % 2 === 1) spells.begin();
    tokens.publishNext();
    const changes: Change[] = [
      [1 / 6, () => spells.end()],
      [1 / 2, () => tokens.takeNext()],
      [5 / 6, () => tokens.withdrawOld()],
    ];
    const switches = Array.from({ length: SWITCHES }, (_, turn): Change => {
      return [turn / SWITCHES, () => switchRelease(published, random, turn)];
    });
    const everything = [
      ...askers.map((asker) => askUntil(isOver, asker, onError)),
      ...[changes, switches].map((list) => inTurn(list, (at) => isOver() || share() >= at)),
    ];
    isAnswered = await areEnding(Promise.all(everything), tally);
    if (!isAnswered) fail(`requests without an answer after ${END_MAX_MS / 1000} s`);
    // Nobody asks any more: what proxies hold now, they hold for nobody.
    globalAgent.destroy();
    host.server.closeIdleConnections();
    host.asked.length = 0;
    for (const { running, metrics, readings } of proxies) readings.push(await readingOf(running, metrics));
    const time = `${((performance.now() - started) / 60_000).toFixed(1)} min`;
    const counted = `${tally.requests} requests (${((tally.requests - before) / seconds()).toFixed(0)}/s)`;
    print([time, counted, ...proxies.map(held), errorText(tally.errors)].join(' | '));
  }
  for (const { name, running } of proxies) {
    const code = await stop(running);
    if (code !== 0) fail(`${name}: the proxy ended with ${code}: ${running.err().slice(-1000)}`);
    // Errors of an origin are logged as one line, all others with their stack.
    const [unexpected] = /^.*\n +at .*/m.exec(running.err()) ?? [];
    if (unexpected !== undefined) fail(`${name}: logged ${unexpected}`);
  }
  const growth = proxies.map(({ name, readings }) => growthIn(readings)?.map((line) => `${name}: ${line}`));
  return {
    requests: tally.requests,
    switches: published.switches,
    rotations: tokens.rotations,
    hostFailures: spells.failures,
    errors: tally.errors,
    wrong,
    growth: growth.includes(undefined) ? undefined : growth.flatMap((lines) => lines ?? []),
  };
}

async function askUntil(
  isOver: () => boolean,
  asker: Asker,
  onError: (asker: Asker, error: Error) => void,
): Promise<void> {
  const act = isBad(asker) ? behaveBadly : askAnything;
  while (!isOver()) await act(asker).catch((error: Error) => onError(asker, error));
}

/** Starts a proxy with metrics and an access log, which collects its garbage when told to. */
async function startProxy(
  name: string,
  origin: string,
  { issuer }: RotatingTokens,
  mayFail: SoakedProxy['mayFail'],
): Promise<Watched> {
  const keys = ['--issuer', issuer.name, '--audience', AUDIENCE, '--jwks', issuer.url.href, ...KEY_OPTIONS];
  const preload = pathToFileURL(compile('test/support/processes/collect-on-signal.ts'));
  const running = await serve(['--origin', origin, ...keys, '--metrics-port', '0'], {
    NODE_OPTIONS: `--import ${preload}`,
  });
  // The access log is written, and read by nobody who keeps it.
  running.child.stdout?.removeAllListeners('data').resume();
  const metrics = await running.says(/metrics at (http:\S+)\/metrics/);
  return { name, url: running.url, running, metrics, mayFail, readings: [] };
}

/** @returns the exit code, or the signal that ended it */
async function stop({ child, stop: end }: Running): Promise<number | string> {
  if (child.exitCode === null && child.signalCode === null) await end();
  return child.exitCode ?? child.signalCode ?? 'nothing';
}

/** What happens when so much of an interval is over. */
type Change = readonly [share: number, work: () => void | Promise<void>];

async function inTurn(changes: readonly Change[], isTime: (share: number) => boolean): Promise<void> {
  for (const [share, work] of changes) {
    while (!isTime(share)) await setTimeout(LOOK_MS);
    await work();
  }
}

/** Resolves when all requests have ended; false when none is sent any more, and some do not end. */
async function areEnding(requests: Promise<unknown>, tally: Tally): Promise<boolean> {
  let isOver = false;
  const ended = requests.then(() => {
    isOver = true;
  });
  let [asked, since] = [tally.requests, performance.now()];
  for (; !isOver; await Promise.race([ended, setTimeout(LOOK_MS)])) {
    if (tally.requests !== asked) [asked, since] = [tally.requests, performance.now()];
    if (performance.now() - since > END_MAX_MS) return false;
  }
  return true;
}

/** Every third change is a new release, for which an old one is removed. */
async function switchRelease(published: Published, random: Dice, turn: number): Promise<void> {
  if (turn % 3 === 0) await published.publishNext();
  else await published.switchBack(random);
}

function held({ name, readings }: Watched): string {
  const last = readings.at(-1);
  return last === undefined
    ? name
    : `${name}: ${last.resident.toFixed(0)} MB, heap ${last.heap.toFixed(1)} MB, ${last.descriptors} descriptors`;
}

/** Counts by kind, as one text. */
export function errorText(errors: ReadonlyMap<string, number>): string {
  const kinds = [...errors].sort().map(([kind, count]) => `${kind}: ${count}`);
  return kinds.length === 0 ? 'no errors' : kinds.join(', ');
}

/**
 * A static host fails for a while now and then, in many ways: what the proxy answers meanwhile is excused, unless it
 * looks right and is not.
 */
function failingSpells(host: RunningHost, random: Dice) {
  let lastFailure = Number.NEGATIVE_INFINITY;
  return {
    failures: 0,
    begin(): void {
      host.fault = ({ headers: { range } }, res, file) => {
        // A release that was just removed has no files.
        if (random(FAILS_EVERY) > 0 || !existsSync(file)) return false;
        const faults = file.endsWith('.gz') ? FAULTS_OF_FILES : FAULTS_OF_METADATA;
        lastFailure = performance.now();
        this.failures++;
        elementAt(faults, random(faults.length)).fail(res, file, range);
        return true;
      };
    },
    end(): void {
      host.fault = undefined;
    },
    /** May a request have failed because the host did? @param begun when it was sent */
    mayExplain: (begun: number): boolean => lastFailure >= begun - AFTERMATH_MS,
  };
}
