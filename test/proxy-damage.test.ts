// A stored page that is not what its manifest says is never answered as if it were: 502 before the first byte, a cut
// connection after it, or a body that no gunzip accepts.
import assert from 'node:assert/strict';
import { readFileSync, renameSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { pagePath, releasePath } from '../format/layout.ts';
import type { Format, Level } from '../format/levels.ts';
import { send, textOf } from './exchange.ts';
import { buildRelease, temporaryFolder } from './fixture.ts';
import { startService } from './running.ts';
import { bodyOf, MANY_BLOCKS, readStored, writeWorld } from './world.ts';

const folder = temporaryFolder();
await buildRelease(writeWorld(join(folder, 'world.gpkg'), MANY_BLOCKS), folder);
/** Began with nothing kept in memory; a new one for each damage. */
let proxy = await startService(folder);
const stored = readStored(folder, 'r1');

/** A request that touches a page file, and the features that it must give. */
interface Asked {
  query: string;
  format: Format;
  level: Level;
  /** Number of the first feature, and how many. */
  start: number;
  count: number;
}

const FIRST_PAGES: readonly Asked[] = [
  { query: '', format: 'geojsonl', level: 2, start: 0, count: 50 },
  { query: '?page-size=49', format: 'geojsonl', level: 2, start: 0, count: 49 },
  { query: '?page-size=19', format: 'fc', level: 2, start: 0, count: 19 },
  { query: '', format: 'geojsonl', level: 0, start: 0, count: 20 },
  { query: '?page-size=9', format: 'geojsonl', level: 0, start: 0, count: 9 },
  { query: '?start-at=8&page-size=4', format: 'fc', level: 0, start: 5, count: 4 },
];

function fileOf(level: Level): string {
  return join(folder, releasePath('r1'), pagePath(level, 'geojsonl', 'all', 0));
}

/** Is the answer right, or plainly wrong? Returns which; fails when it looks right and is not. */
async function outcomeOf({ query, format, level, start, count }: Asked, coding: string): Promise<string> {
  const path = `/api/v1/${format}/lv${level}${query}`;
  const answer = await send(proxy, path, { 'accept-encoding': coding }).catch(() => undefined);
  if (answer === undefined) return 'cut';
  if (answer.status === 502) {
    assert.equal(JSON.parse(answer.body.toString()).code, 'origin-damaged');
    assert.doesNotMatch(answer.body.toString(), /releases|geojsonl|000001|\.gz/);
    return '502';
  }
  assert.equal(answer.status, 200);
  let text: string;
  try {
    text = textOf(answer);
  } catch {
    return 'not gzip';
  }
  const expected = bodyOf(format, stored[level]?.lines.slice(start, start + count) ?? []);
  assert.ok(text === expected, `${path} as ${coding}: wrong, but looks right`);
  return 'right';
}

/** The outcomes of every request that touches the first page of a level, to a proxy that has read nothing yet. */
async function outcomes(level: Level): Promise<string[]> {
  proxy = await startService(folder);
  return outcomesFromMemory(level);
}

async function outcomesFromMemory(level: Level): Promise<string[]> {
  const asked = FIRST_PAGES.filter((one) => one.level === level);
  const all = asked.flatMap((one) => ['gzip', 'identity'].map((coding) => outcomeOf(one, coding)));
  return Promise.all(all);
}

test('sound pages give the right answers', async () => {
  for (const level of [0, 2] as const) assert.deepEqual(new Set(await outcomes(level)), new Set(['right']));
});

test('a flipped byte never gives a page that is wrong and looks right', async () => {
  for (const level of [0, 2] as const) {
    const file = fileOf(level);
    const sound = readFileSync(file);
    const seen = new Set<string>();
    for (let i = 1; i < 12; i++) {
      const damaged = Buffer.from(sound);
      const at = Math.floor((i * sound.length) / 12);
      damaged[at] = (damaged[at] ?? 0) ^ 0x10;
      writeFileSync(file, damaged);
      for (const outcome of await outcomes(level)) seen.add(outcome);
    }
    writeFileSync(file, sound);
    assert.ok(seen.size > 1, 'no flip was noticed');
  }
});

test('a page cut short never gives an answer that looks complete', async () => {
  for (const level of [0, 2] as const) {
    const file = fileOf(level);
    const sound = readFileSync(file);
    for (const share of [0.99, 0.5, 0.1, 0]) {
      truncateSync(file, Math.floor(sound.length * share));
      const [page] = await outcomes(level);
      assert.notEqual(page, 'right');
    }
    writeFileSync(file, sound);
  }
});

test('a page in the place of another is refused', async () => {
  const file = fileOf(2);
  const sound = readFileSync(file);
  writeFileSync(file, readFileSync(file.replace('000001', '000002')));
  assert.deepEqual((await outcomes(2)).slice(0, 2), ['502', '502']);
  writeFileSync(file, sound);
});

test('a missing page gives 502 and a line in the log, and is found again when it is back', async () => {
  const file = fileOf(2);
  renameSync(file, `${file}.gone`);
  assert.deepEqual(new Set(await outcomes(2)), new Set(['502']));
  assert.match(proxy.log.at(-1) ?? '', /^releases\/r1\/lv2\/geojsonl\/all\/000001\.geojsonl\.gz: missing$/);
  renameSync(`${file}.gone`, file);
  assert.deepEqual(new Set(await outcomes(2)), new Set(['right']));
});

test('what was read and found right before its file was damaged is answered from memory, and right', async () => {
  const file = fileOf(2);
  const sound = readFileSync(file);
  // What is asked for twice is kept.
  proxy = await startService(folder);
  for (let i = 0; i < 2; i++) assert.deepEqual(new Set(await outcomesFromMemory(2)), new Set(['right']));
  writeFileSync(file, Buffer.alloc(sound.length));
  const [page] = await outcomesFromMemory(2);
  writeFileSync(file, sound);
  assert.equal(page, 'right');
});
