// What is logged of errors that nobody expected, or that come from the files: enough to find each, and never so much
// that requests fill the disk.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { OriginError } from '../../../proxy/origin/origin.ts';
import { VirtualTime } from '../../simulation/virtual-time.ts';
import { refusal, send } from '../../support/http/http-client.ts';
import { type RunningService, startService } from '../../support/http/in-process-proxy.ts';
import { buildCountries } from '../../support/releases/build-release.ts';
import { watchedOrigin } from '../../support/watched-origin.ts';

const folder = await buildCountries({ storedPages: 'none' });

/** A service that cannot read features, and whose time passes only when a test says so. */
async function failingService(errorOf: (path: string) => Error) {
  const time = new VirtualTime();
  const origin = watchedOrigin(folder, (path) => {
    if (path.includes('/alone/') || path.endsWith('.gz')) throw errorOf(path);
  });
  return { time, service: await startService(folder, { origin, time }) };
}

async function failTimes(service: RunningService, times: number): Promise<void> {
  for (let i = 0; i < times; i++) {
    const answer = await send(service, '/api/v1/geojsonl/lv1');
    refusal(answer, 500, 'internal');
  }
}

test('an unexpected error that repeats has a line a second, with how often, whatever its message', async () => {
  let asked = 0;
  const { service, time } = await failingService(() => new TypeError(`request ${asked++} is odd`));
  const { log } = service;
  await failTimes(service, 100);
  assert.deepEqual(log.length, 1);
  assert.match(log[0] ?? '', /^TypeError: request 0 is odd\n {4}at /);
  await time.pass(999);
  assert.equal(log.length, 1);
  await time.pass(1);
  assert.equal(log.length, 2);
  assert.match(log[1] ?? '', /^99 times since the last line: TypeError: request 99 is odd\n {4}at /);
  // The line with the number begins another second.
  await failTimes(service, 1200);
  assert.equal(log.length, 2);
  await time.pass(1000);
  assert.match(log[2] ?? '', /^1,200 times since the last line: /);
  // After a second without one it is a new error.
  await time.pass(1000);
  await failTimes(service, 1);
  assert.match(log[3] ?? '', /^TypeError: request 1300 is odd/);
  await time.pass(10_000);
  assert.equal(log.length, 4);
});

test('each damaged file has a line of its own, thousands of them share one', async () => {
  let asked = 0;
  const path = (n: number): string => `releases/r1/${n}.json.gz`;
  const { service, time } = await failingService(() => new OriginError('unreadable', path(asked++ >> 1)));
  const ask = async (times: number): Promise<void> => {
    for (let i = 0; i < times; i++) refusal(await send(service, '/api/v1/geojsonl/lv1'), 502, 'origin-damaged');
  };
  await ask(20);
  assert.deepEqual(
    service.log,
    Array.from({ length: 10 }, (_, n) => `${path(n)}: unreadable`),
  );
  await ask(2000);
  const { length } = service.log;
  assert.ok(length <= 20, `${length} lines`);
  await time.pass(1000);
  const counts = service.log
    .slice(length)
    .map((line) => Number(/^([\d,]+) times/.exec(line)?.[1]?.replace(',', '') ?? 1));
  const sum = counts.reduce((all, count) => all + count, 0);
  assert.equal(length + sum, 2020);
  assert.ok(service.log.length <= 40);
});
