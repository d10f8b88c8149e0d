// One simulation: a server, its clients, its origin, an issuer of tokens and an operator, in an order that a seed
// draws. What must hold is checked after each step, and at the end, when nothing is wrong any more, everything must
// work again.
import assert from 'node:assert/strict';
import { SignJWT } from 'jose';
import { releasePath } from '../../format/layout.ts';
import { assembleServer } from '../../proxy/assemble-server.ts';
import { newKeyPair } from '../../proxy/auth/key-pair.ts';
import { Releases } from '../../proxy/data/hosted-releases.ts';
import { loadOnDemand } from '../../proxy/data/load-on-demand.ts';
import { loadRelease } from '../../proxy/data/loaded-release.ts';
import { watchReleases } from '../../proxy/data/watch-releases.ts';
import { RotatingKeys } from '../../proxy/keys/rotating-keys.ts';
import { type Dice, dice } from '../support/dice.ts';
import { sha256 } from '../support/files.ts';
import { Connection, type Manners, type Response } from './connection.ts';
import { CALM, MemoryOrigin, type Weather } from './memory-origin.ts';
import { VirtualTime } from './virtual-time.ts';
import {
  CODINGS,
  type Coding,
  CURRENT_TARGETS,
  isPinned,
  pointerTo,
  publicSettings,
  requestKey,
  requestText,
  type SimulatedRelease,
} from './world.ts';

const STEPS = 120;
/** What happened last is in the message of an error. */
const TRACE_LINES = 12;
const [SECOND, MINUTE] = [1000, 60_000];
/** So long ago a release may have been hosted that is answered from: loading the next one takes many reads. */
const STALE_MS = 5 * MINUTE;
/** So long after the last fault nothing may fail. */
const CALM_AFTER_MS = MINUTE;
/** So long after the last fault everything works again, also at a slow host. */
const RECOVERED_MS = 5 * MINUTE;
const HANG_MS = 10 * MINUTE;
const FILES_MAX = 2;
/** An id of a release that was withdrawn is used again after this time at the earliest. */
const REUSED_MS = 30 * SECOND;
/** Of the levels that a service with little memory has: more than one release takes, less than two. */
const LEVELS_BYTES = 60_000;
const STEADY_MS = 100;
const KEY_POLICY = { cacheMs: MINUTE, staleMs: 5 * MINUTE, cooldownMs: 5 * SECOND };
const EPOCH_MS = Date.UTC(2030, 0);
const ISSUER = 'https://issuer.test';

/** A host that is slow, but answers: a load of several reads takes longer than what counts as stuck. */
const SLOW: Weather = { ...CALM, delay: [10_500, 12_500], now: 0 };
const WEATHERS: readonly Weather[] = [
  CALM,
  { ...CALM, now: 1000 },
  { ...CALM, delay: [0, 3000], now: 0 },
  { ...CALM, delay: [0, 1000], now: 300, stale: 300 },
  { ...CALM, error: 100, short: 30, flip: 30, now: 500 },
  { ...CALM, delay: [0, 20_000], error: 50, flip: 50, now: 100 },
  SLOW,
];

/** The keys of the issuer and tokens that they sign. */
const KEYS = ['one', 'two'].map((kid) => ({ kid, ...newKeyPair() }));
const TOKENS = await Promise.all(
  KEYS.flatMap(({ kid, privateKey }) =>
    ['anna', 'bert'].map((sub) =>
      new SignJWT({ iss: ISSUER, aud: 'boundaries', sub, exp: EPOCH_MS / SECOND + 100_000 })
        .setProtectedHeader({ alg: 'EdDSA', kid })
        .sign(privateKey),
    ),
  ),
);

interface Running {
  begun: number;
  method: string;
  target: string;
  coding: Coding;
  /** Number of the key that signed its token. */
  key: number;
  ifNoneMatch: string | undefined;
  range: { first: number; last: number } | undefined;
  manners: Manners;
  connection: Connection;
}

/** What was true from a time on. */
interface Since<Value> {
  at: number;
  value: Value;
}

/**
 * Runs a simulation.
 * @returns what happened, line by line: the same for the same seed
 * @throws AssertionError that names the seed
 */
export async function simulate(seed: number, releases: readonly SimulatedRelease[]): Promise<string> {
  const simulation = new Simulation(seed, releases);
  try {
    return await simulation.run();
  } catch (error) {
    const cause = error instanceof Error ? error.message : String(error);
    throw new assert.AssertionError({
      message: `seed ${seed}: ${cause}\n${simulation.trace.slice(-TRACE_LINES).join('\n')}`,
    });
  }
}

class Simulation {
  readonly trace: string[] = [];
  readonly #dice: Dice;
  readonly #time = new VirtualTime();
  readonly #origin: MemoryOrigin;
  readonly #all: readonly SimulatedRelease[];
  /** What current.json lists, the current one first. */
  readonly #hosted: Since<readonly SimulatedRelease[]>[] = [];
  /** The keys that the issuer has. */
  readonly #keys: Since<readonly number[]>[] = [];
  #isIssuerDown = false;
  #running: Running[] = [];
  /** SHA-256 of the bodies by entity tag. */
  readonly #tagged = new Map<string, string>();
  /** Whose files there are, by id. */
  readonly #stored = new Map<string, SimulatedRelease>();
  /** Whose files were removed. */
  readonly #removed = new Set<SimulatedRelease>();
  /** Files that are damaged, as they were. */
  readonly #damaged = new Map<string, Buffer>();

  constructor(seed: number, all: readonly SimulatedRelease[]) {
    // Seeds that follow one another begin alike.
    this.#dice = dice(seed * 7919 + 17);
    for (let i = 0; i < 5; i++) this.#dice(2);
    this.#origin = new MemoryOrigin(this.#time, this.#dice);
    this.#all = all;
  }

  async run(): Promise<string> {
    const uninstall = this.#time.install();
    try {
      this.#publish(this.#all[this.#dice(this.#all.length)]);
      this.#rotate([0, 1]);
      const log = (line: string): number => this.trace.push(`${this.#time.now} log ${line.split('\n', 1)[0]}`);
      const origin = this.#dice(2) === 0 ? this.#origin.asFolder : this.#origin.asHost;
      // As on platforms with little memory: some levels at a time.
      const load = this.#dice(3) === 0 ? loadOnDemand(LEVELS_BYTES) : loadRelease;
      const releases = new Releases(origin, { load });
      const first = releases.refresh();
      await this.#time.pass(MINUTE);
      await first;
      const keys = new RotatingKeys(
        { name: 'jwks', read: () => this.#readKeys() },
        KEY_POLICY,
        log,
        () => this.#time.now,
      );
      const tokenRules = {
        issuers: new Map([[ISSUER, keys]]),
        audience: 'boundaries',
        scope: undefined,
        now: () => EPOCH_MS + this.#time.now,
      };
      const settings = { ...publicSettings(origin), tokenRules };
      const { server, heldBytes } = assembleServer(settings, releases, log, { assets: new Map() });
      const stopWatching = watchReleases(releases, log);
      const send = (running: Running): unknown => server.emit('connection', running.connection);
      for (let step = 0; step < STEPS; step++) {
        await this.#step(send);
        this.#checkEnded();
      }
      await this.#conclude(send, releases);
      stopWatching();
      assert.equal(heldBytes(), 0, 'bytes are held');
      assert.equal(this.#origin.streams, 0, 'streams are open');
      const hosted = this.#hosts().map(({ id }) => `${releasePath(id)}/`);
      const left = this.#origin.open.filter((path) => !hosted.some((folder) => path.startsWith(folder)));
      assert.deepEqual(left, [], 'files of releases that are gone are open');
      return this.trace.join('\n');
    } finally {
      uninstall();
    }
  }

  async #step(send: (running: Running) => unknown): Promise<void> {
    const roll = this.#dice(100);
    if (roll < 50) for (let left = 1 + this.#dice(3); left > 0; left--) send(this.#request());
    else if (roll < 60) this.#publish(this.#all[this.#dice(this.#all.length)]);
    else if (roll < 65) this.#prune();
    else if (roll < 75) this.#change();
    else if (roll < 80) this.#damage();
    else if (roll < 85) this.#repair();
    else if (roll < 90) this.#rotate([[0], [1], [0, 1]][this.#dice(3)] ?? [0]);
    else if (roll < 93) this.#isIssuerDown = !this.#isIssuerDown;
    await this.#time.pass(this.#dice(10) === 0 ? this.#dice(2 * MINUTE) : this.#dice(800));
  }

  /** From now on nothing is wrong: what is running ends, and then every question has its answer. */
  async #conclude(send: (running: Running) => unknown, releases: Releases): Promise<void> {
    this.#repair();
    this.#isIssuerDown = false;
    this.#origin.weather = this.#dice(3) === 0 ? SLOW : CALM;
    this.trace.push(`${this.#time.now} concludes, reads take ${this.#origin.weather.delay}`);
    await this.#time.pass(RECOVERED_MS);
    for (let ms = 0; this.#running.length > 0 && ms < HANG_MS; ms += SECOND) {
      await this.#time.pass(SECOND);
      this.#checkEnded();
    }
    const [current] = this.#hosts();
    assert.equal(releases.current?.digest, current?.digest, 'the current release is not the one that is served');
    const key = this.#keys.at(-1)?.value[0] ?? 0;
    for (const target of CURRENT_TARGETS) {
      let running = await this.#ask(send, target, key);
      // A file that was damaged while it was open is closed when that is seen; a download meets one after the other.
      for (let files = 0; files < FILES_MAX && running.connection.response?.status === 502; files++)
        running = await this.#ask(send, target, key);
      const { response } = running.connection;
      assert.equal(response?.status, 200, `${target}: ${response?.body}`);
      assert.equal(response.headers.get('boundaries-release'), current?.id, `${target} is of another release`);
      assert.ok(this.#isRight(running, response), `${target} is not the answer of that release`);
    }
  }

  async #ask(send: (running: Running) => unknown, target: string, key: number): Promise<Running> {
    const running = this.#newRequest({ method: 'GET', target, coding: 'gzip', key });
    this.#running.pop();
    send(running);
    for (let ms = 0; !running.connection.closed && ms < HANG_MS; ms += SECOND) await this.#time.pass(SECOND);
    return running;
  }

  #request(): Running {
    const named = this.#all[this.#dice(this.#all.length)];
    const targets = [...(named?.answers.keys() ?? [])].map((known) => known.slice(known.indexOf(' ') + 1));
    const target = targets[this.#dice(targets.length)] ?? '';
    const coding = CODINGS[this.#dice(2)] ?? 'gzip';
    const expected = named?.answers.get(requestKey(target, coding));
    const first = this.#dice(expected?.body.length ?? 1);
    return this.#newRequest({
      method: this.#dice(8) === 0 ? 'HEAD' : 'GET',
      target,
      coding,
      key: this.#dice(KEYS.length),
      ifNoneMatch: this.#dice(6) === 0 ? expected?.etag : undefined,
      range:
        target.includes('/download/') && this.#dice(2) === 0
          ? { first, last: Math.min(first + this.#dice(3000), (expected?.body.length ?? 1) - 1) }
          : undefined,
      manners: {
        paceMs: this.#dice(5) === 0 ? this.#dice(3000) : this.#dice(5) === 0 ? STEADY_MS : 0,
        leavesMs: this.#dice(8) === 0 ? this.#dice(4000) : undefined,
      },
    });
  }

  #newRequest(asked: Pick<Running, 'method' | 'target' | 'coding' | 'key'> & Partial<Running>): Running {
    const { method, target, coding, key, ifNoneMatch, range, manners = { paceMs: 0, leavesMs: undefined } } = asked;
    const headers = [`Authorization: Bearer ${TOKENS[2 * key + this.#dice(2)]}`];
    if (ifNoneMatch !== undefined) headers.push(`If-None-Match: ${ifNoneMatch}`);
    if (range !== undefined) headers.push(`Range: bytes=${range.first}-${range.last}`);
    const connection = new Connection(this.#time, requestText(method, target, coding, headers), manners);
    connection.on('error', () => {});
    const begun = this.#time.now;
    this.trace.push(`${begun} ${method} ${coding} ${target} key ${key}`);
    const running = { begun, method, target, coding, key, ifNoneMatch, range, manners, connection };
    this.#running.push(running);
    return running;
  }

  #checkEnded(): void {
    const ended = this.#running.filter(({ connection }) => connection.closed);
    this.#running = this.#running.filter(({ connection }) => !connection.closed);
    for (const running of ended) {
      const { response } = running.connection;
      this.trace.push(`${this.#time.now} ${response?.status} ${response?.headers.get('etag')} ${running.target}`);
      if (running.connection.isLeft) continue;
      this.#check(running, response);
    }
    for (const { begun, target } of this.#running)
      assert.ok(this.#time.now - begun < HANG_MS, `${target} has no answer since ${begun}`);
  }

  #check(running: Running, response: Response | undefined): void {
    const { target, begun, method, key } = running;
    const status = response?.status ?? 0;
    const what = `${method} ${target} of ${begun}: ${status} ${response?.headers.get('boundaries-release')}`;
    const reason = status >= 400 && method !== 'HEAD' ? String(response?.body) : '';
    if (status === 200 || status === 206 || status === 304) {
      if (status !== 304 && response?.isWhole === false) assert.ok(!this.#isCalm(running), `${what} was cut`);
      assert.ok(this.#isRight(running, response), `${what} is no answer of a release that is hosted`);
      const trusted = this.#within(this.#keys, begun - KEY_POLICY.cacheMs - KEY_POLICY.staleMs - MINUTE);
      assert.ok(
        trusted.some((keys) => keys.includes(key)),
        `${what} with a key that was withdrawn`,
      );
      return;
    }
    if (status === 401) {
      const known = this.#within(this.#keys, begun - KEY_POLICY.cacheMs - MINUTE);
      assert.ok(!known.every((keys) => keys.includes(key)), `${what} with a good token`);
      return;
    }
    if (status === 503 && (this.#isIssuerDown || reason.includes('keys-unavailable') || method === 'HEAD')) return;
    if (status === 416 && this.#isBehindEnd(running)) return;
    assert.ok([0, 410, 502, 503, 504].includes(status), `${what} ${reason}`);
    const isGone = !this.#within(this.#hosted, begun - MINUTE).every((hosted) =>
      hosted.some(({ answers }) => answers.has(requestKey(target, 'gzip'))),
    );
    if (isPinned(target) && ((status === 503 && !reason.includes('origin-unreachable')) || isGone)) return;
    assert.ok(!this.#isCalm(running), `${what} although nothing was wrong: ${reason}`);
  }

  /** Does the range begin behind the end in a release that was hosted? */
  #isBehindEnd({ target, coding, begun, range }: Running): boolean {
    const lengths = this.#within(this.#hosted, this.#staleSince(begun))
      .flat()
      .map(({ answers }) => answers.get(requestKey(target, coding))?.body.length);
    return lengths.some((length) => length !== undefined && range !== undefined && range.first >= length);
  }

  /**
   * Since when a release may have been hosted that answers now: while reads fail, the next one may not be loaded for
   * long.
   */
  #staleSince(begun: number): number {
    return begun - (begun - this.#origin.faultAt < STALE_MS ? 6 : 1) * STALE_MS;
  }

  /** Has nothing been wrong since before the request? */
  #isCalm({ begun }: Running): boolean {
    if (this.#damaged.size > 0 || this.#isIssuerDown) return false;
    const isSwitched = this.#hosted.some(({ at }) => at >= begun);
    return !isSwitched && begun - this.#origin.faultAt > CALM_AFTER_MS;
  }

  /** Is it the answer of one release that was hosted, or the beginning of one that was cut? */
  #isRight({ target, coding, begun, method, ifNoneMatch, range }: Running, response: Response | undefined): boolean {
    if (response === undefined) return false;
    const { status, headers, body, isWhole } = response;
    const isCut = status !== 304 && !isWhole;
    const etag = headers.get('etag') ?? '';
    const candidates = this.#within(this.#hosted, this.#staleSince(begun)).flat();
    const isOf = ({ id, answers }: SimulatedRelease): boolean => {
      const expected = answers.get(requestKey(target, coding));
      if (expected === undefined || etag !== expected.etag) return false;
      if (headers.has('boundaries-release') && headers.get('boundaries-release') !== id) return false;
      if (status === 304) return ifNoneMatch === etag;
      if (headers.get('link') !== expected.link) return false;
      const part = status === 206 && range !== undefined ? [range.first, range.last + 1] : [];
      const whole = expected.body.subarray(...part);
      return method === 'HEAD' || body.equals(isCut ? whole.subarray(0, body.length) : whole);
    };
    if (status === 200 && method === 'GET' && !isCut) {
      const sum = sha256(body);
      assert.equal(this.#tagged.get(etag) ?? sum, sum, `${target}: the tag ${etag} has two bodies`);
      this.#tagged.set(etag, sum);
    }
    return candidates.some(isOf);
  }

  /** What was true at some time since then. */
  #within<Value>(history: readonly Since<Value>[], since: number): Value[] {
    const first = Math.max(
      0,
      history.findLastIndex(({ at }) => at <= since),
    );
    return history.slice(first).map(({ value }) => value);
  }

  #hosts(): readonly SimulatedRelease[] {
    return this.#hosted.at(-1)?.value ?? [];
  }

  #point(hosted: readonly SimulatedRelease[]): void {
    this.#hosted.push({ at: this.#time.now, value: hosted });
    this.#origin.point(pointerTo(hosted));
    this.trace.push(`${this.#time.now} hosted ${hosted.map(({ id, digest }) => `${id} ${digest.slice(0, 4)}`)}`);
  }

  /**
   * Makes a release the current one. An id is used again when it has not been hosted for a while, as OPERATING.md says.
   */
  #publish(release: SimulatedRelease | undefined): void {
    if (release === undefined) return;
    const others = this.#hosts().filter((other) => other !== release);
    const isInUse = this.#within(this.#hosted, this.#time.now - REUSED_MS).some((hosted) =>
      hosted.some((other) => other !== release && other.id === release.id),
    );
    if (isInUse) return;
    // Also of one that was pruned a moment ago.
    if (this.#stored.get(release.id) !== release) this.#remove(release.id);
    // As a repair: who was reading it when its files were gone remembers for a moment that they are missing.
    if (this.#removed.delete(release)) this.#origin.faultAt = this.#time.now;
    this.#stored.set(release.id, release);
    for (const [path, content] of release.files)
      if (path.startsWith(releasePath(release.id)) && !this.#origin.files.has(path))
        this.#origin.files.set(path, Buffer.from(content));
    this.#point([release, ...others]);
  }

  /** Takes a release that is not current out of current.json, then removes its files. */
  #prune(): void {
    const [current, ...others] = this.#hosts();
    const old = others[this.#dice(Math.max(1, others.length))];
    if (current === undefined || old === undefined) return;
    this.#point([current, ...others.filter((other) => other !== old)]);
    this.#time.after(this.#dice(10 * SECOND), () => {
      if (this.#stored.get(old.id) === old && !this.#hosts().includes(old)) this.#remove(old.id);
    });
  }

  #remove(id: string): void {
    const removed = this.#stored.get(id);
    if (removed !== undefined) this.#removed.add(removed);
    this.#stored.delete(id);
    const folder = `${releasePath(id)}/`;
    for (const path of [...this.#origin.files.keys()])
      if (path.startsWith(folder)) {
        this.#origin.files.delete(path);
        this.#damaged.delete(path);
      }
  }

  #change(): void {
    this.#origin.weather = WEATHERS[this.#dice(WEATHERS.length)] ?? CALM;
    this.trace.push(`${this.#time.now} weather ${JSON.stringify(this.#origin.weather)}`);
  }

  #damage(): void {
    const paths = [...this.#origin.files.keys()].filter((path) =>
      /lv[01].*(features|alone|cells|index|fc|geojsonl)/.test(path),
    );
    const path = paths[this.#dice(paths.length)] ?? '';
    const content = this.#origin.files.get(path);
    if (content === undefined || this.#damaged.has(path)) return;
    this.#damaged.set(path, Buffer.from(content));
    this.#origin.damage(path);
    this.trace.push(`${this.#time.now} damages ${path}`);
  }

  /** Puts intact files in the places of damaged ones. */
  #repair(): void {
    if (this.#damaged.size > 0) this.#origin.faultAt = this.#time.now;
    for (const [path, content] of this.#damaged) this.#origin.files.set(path, content);
    this.#damaged.clear();
  }

  #rotate(keys: readonly number[]): void {
    this.#keys.push({ at: this.#time.now, value: keys });
    this.trace.push(`${this.#time.now} keys ${keys}`);
  }

  async #readKeys(): Promise<string> {
    await this.#time.passed(this.#dice(2000));
    if (this.#isIssuerDown) throw new Error('the issuer is down');
    const keys = (this.#keys.at(-1)?.value ?? []).map((n) => KEYS[n]);
    return JSON.stringify({
      keys: keys.map((key) => ({ ...key?.publicKey.export({ format: 'jwk' }), kid: key?.kid, alg: 'EdDSA' })),
    });
  }
}
