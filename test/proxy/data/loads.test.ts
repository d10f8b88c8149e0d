// What requests load: what does not depend on each other is read side by side, many who have waited for the same go on
// in turns, and what one of them has read is no other's.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import type { Sources } from '../../../proxy/bodies/row.ts';
import { directoryOrigin } from '../../../proxy/origin/directory.ts';
import { lastingClient, type Origin } from '../../../proxy/origin/origin.ts';
import { answerOf, bodyOf, sourcesOf } from '../../support/http/answers.ts';
import { buildCountries, WHOLE } from '../../support/releases/build-release.ts';
import { until } from '../../support/until.ts';
import { watchedOrigin } from '../../support/watched-origin.ts';

const folder = await buildCountries({ ...WHOLE, storedPages: 'none', tiles: 2 });

/** A host that answers when told. */
class HeldHost {
  #waiting: (() => void)[] = [];
  isHeld = false;

  readonly origin: Origin = {
    read: async (path, extent) => {
      // At once: no round depends on how long a disk takes.
      const content = readFileSync(join(folder, path));
      if (this.isHeld) await new Promise<void>((resolve) => this.#waiting.push(resolve));
      return typeof extent === 'number' ? content : content.subarray(extent.offset, extent.offset + extent.length);
    },
  };

  /** Resolves when it has been asked for something. */
  asked(): Promise<void> {
    return until(() => this.waiting > 0, 'the host is asked for nothing', 0);
  }

  /** Reads that it has not answered. */
  get waiting(): number {
    return this.#waiting.length;
  }

  answer(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}

/** Rounds of reads from a host, each of which is answered when nothing else happens any more. */
async function roundsOf(work: (sources: Sources) => Promise<unknown>): Promise<number> {
  const host = new HeldHost();
  const sources = await sourcesOf(folder, host.origin);
  host.isHeld = true;
  let isDone = false;
  const done = work(sources).finally(() => (isDone = true));
  for (let rounds = 0; ; rounds++) {
    await until(() => isDone || host.waiting > 0, 'the host is asked for nothing, and nothing ends', 0);
    // What is asked for later, in the same round, is asked for while others have not been answered.
    for (let turn = 0; turn < 200; turn++) await setImmediate();
    if (isDone) {
      await done;
      return rounds;
    }
    host.answer();
  }
}

test('what does not depend on each other is read side by side: the rounds of reads of each kind of answer', async () => {
  for (const [target, rounds] of [
    // Directories of cells of all levels, cells, names and tables.
    ['at?point=0.5,0.5&geometry=low', 3],
    ['fc/lv1?bbox=0.2,1.2,0.6,2.6&touches=AAA.1_1&geometry=low', 2],
    ['search?q=a&level=lv0,lv1', 2],
    ['ogc/collections/lv1/items/1?geometry=low', 1],
    ['tiles/lv1/0/0/0.mvt', 2],
  ] as const) {
    const got = await roundsOf((sources) => answerOf(sources, `/api/v1/${target}`));
    assert.equal(got, rounds, target);
  }
});

test('of several that fail the first one is said in the order of the request, whichever failed first', async () => {
  const reads: string[] = [];
  const origin = watchedOrigin(folder, async (path) => {
    if (!path.includes('cells.bin') && !path.includes('low')) return;
    reads.push(path);
    // The table fails after the cells.
    if (path.includes('low')) for (let turn = 0; turn < 5; turn++) await setImmediate();
    throw new Error(path);
  });
  const sources = await sourcesOf(folder, origin);
  await assert.rejects(answerOf(sources, '/api/v1/fc/lv1?contains=0.5,0.5&geometry=low'), /low/);
  assert.equal(reads.length, 2);
});

test('what is refused at once is refused in its place beside a load that fails later', async () => {
  const without = await buildCountries({ ...WHOLE, neighbours: false });
  const origin = watchedOrigin(without, async (path) => {
    if (!path.includes('low')) return;
    await setImmediate();
    throw new Error(path);
  });
  const sources = await sourcesOf(without, origin);
  await assert.rejects(answerOf(sources, '/api/v1/fc/lv1?touches=AAA.1_1&geometry=low'), /low/);
  await assert.rejects(answerOf(sources, '/api/v1/fc/lv1?touches=AAA.1_1'), /--no-neighbours/);
});

const MANY = 2_000;

test('2,000 requests of a client that wait for one load are answered in more than one turn, one of another among the first', async () => {
  const host = new HeldHost();
  const sources = await sourcesOf(folder, host.origin);
  host.isHeld = true;
  let turn = 0;
  const answeredIn: { principal: string; turn: number }[] = [];
  const ask = async (principal: string): Promise<void> => {
    await answerOf(sources, '/api/v1/fc/lv1?touches=AAA.1_1', principal);
    answeredIn.push({ principal, turn });
  };
  const all = Promise.all([...Array.from({ length: MANY }, () => ask('many')), ask('one')]);
  await host.asked();
  host.answer();
  for (; answeredIn.length <= MANY; turn++) await setImmediate();
  await all;
  const turns = new Set(answeredIn.map((answered) => answered.turn)).size;
  assert.ok(turns > 4, `${turns} turns`);
  const at = answeredIn.findIndex(({ principal }) => principal === 'one');
  assert.ok(at < MANY / turns, `after ${at} others`);
});

test('no task waits for a task: of 100 that load pieces, one at a time, all end', async () => {
  const sources = await sourcesOf(folder, new HeldHost().origin, {}, { running: 1, waiting: 100 });
  const boxes = Array.from({ length: 100 }, (_, i) => `fc/lv1?bbox=0.${i + 1},1.2,0.${i + 1}5,2.6`);
  const answers = await Promise.all(boxes.map((target) => answerOf(sources, `/api/v1/${target}`)));
  for (const { status } of answers) assert.equal(status, 200);
});

const AT_A_POINT = '/api/v1/fc/lv1?contains=0.5,0.5';

test('a read that two clients wait for is of neither: one with 512 tasks that wait, who then leaves, costs the other nothing', async () => {
  const host = new HeldHost();
  const sources = await sourcesOf(folder, host.origin, {}, { running: 3, waiting: 512 });
  // Brings the directory of cells into memory: what is read next is a cell that nobody has asked for.
  await answerOf(sources, '/api/v1/fc/lv1?bbox=-40,-40,-39,-39');
  host.isHeld = true;
  const peer = { destroyed: false };
  const alice = answerOf(sources, AT_A_POINT, 'alice', peer);
  await host.asked();
  const bob = answerOf(sources, AT_A_POINT, 'bob');
  let end = (): void => {};
  const ended = new Promise<void>((resolve) => (end = resolve));
  const task = (): Promise<void> => sources.reads.later(lastingClient('alice'), () => ended);
  // One of them runs.
  const tasks = Array.from({ length: 513 }, task);
  await assert.rejects(task(), { code: 'overloaded' });
  peer.destroyed = true;
  for (let turn = 0; turn < 10; turn++) await setImmediate();
  assert.equal(host.waiting, 1);
  host.answer();
  await assert.rejects(alice, { code: 'overloaded' });
  assert.equal((await bob).status, 200);
  end();
  await Promise.all(tasks);
});

/** Pairs of requests that read other pieces of the same files. */
const PAIRS = [
  ['at?point=0.5,0.5&geometry=full', 'at?point=10.5,0.5&geometry=full'],
  ['fc/lv1?bbox=0.2,1.2,0.6,2.6', 'fc/lv1?bbox=10.2,0.2,14.6,0.6'],
  ['fc/lv1?contains=0.5,0.5', 'fc/lv1?contains=0.5,2.5'],
  ['tiles/lv1/0/0/0.mvt', 'tiles/lv1/1/1/0.mvt'],
  ['geojsonl/lv1?start-at=1&page-size=1', 'geojsonl/lv1?start-at=2&page-size=1'],
] as const;

for (const [what, originOf] of [
  ['from a folder', () => directoryOrigin(folder, () => 0)],
  ['from a host', () => new HeldHost().origin],
] as const)
  test(`two requests that go on alternately are answered as each alone, ${what}`, async () => {
    const ask = async (sources: Sources, target: string): Promise<string> => {
      const answer = await answerOf(sources, `/api/v1/${target}`);
      const { headers } = answer;
      return `${headers.join('\n')}\n${(await bodyOf(sources, answer)).toString('base64')}`;
    };
    for (const pair of PAIRS) {
      const alone: string[] = [];
      for (const target of pair) alone.push(await ask(await sourcesOf(folder, originOf()), target));
      assert.notEqual(alone[0], alone[1], pair[0]);
      const sources = await sourcesOf(folder, originOf());
      // The first ones load what all need: of the others nothing but pieces is read.
      for (let i = 0; i < 2; i++)
        assert.deepEqual(await Promise.all(pair.map((target) => ask(sources, target))), alone, pair[0]);
    }
  });
