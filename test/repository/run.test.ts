// What `npm test` prints while it runs.
import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';
import { test } from 'node:test';
import { beginningOf, eventsOf, ofTestFiles, reportFiles } from '../support/report-files.ts';

test('a run says first how long it takes and how many files it has, then with each that ends how far it is', async (t) => {
  assert.equal(beginningOf(190, true), '# some three minutes; 190 files\n');
  assert.equal(beginningOf(1, false), '# 1 file\n');
  t.mock.timers.enable({ apis: ['setInterval', 'Date'] });
  const ended = (name: string) => ({
    type: 'test:diagnostic',
    data: { file: 'entry.test.mjs', message: JSON.stringify({ name, seconds: 21.5, cpu: 2 }) },
  });
  async function* events() {
    for (let i = 0; i < 2; i++) t.mock.timers.tick(10_000);
    yield ended('test/a.test.ts');
    t.mock.timers.tick(9_999);
    yield ended('test/b.test.ts');
  }
  const lines: string[] = [];
  await reportFiles(
    events(),
    2,
    () => {},
    (line) => lines.push(line),
  );
  assert.deepEqual(lines.slice(0, 4), [
    '# 0 of 2 files after 10 s\n',
    '# 0 of 2 files after 20 s\n',
    '    1 of 2   21.5 s  CPU   2.0 s  test/a.test.ts\n',
    '    2 of 2   21.5 s  CPU   2.0 s  test/b.test.ts\n',
  ]);
});

test('what a process reports is there at once, while those that began before it go on', async () => {
  const others = new EventEmitter();
  const seen: unknown[] = [];
  async function* run(name: string) {
    if (name === 'first') await once(others, 'seen');
    yield name;
  }
  for await (const event of eventsOf(['first', 'second', 'third'], 2, run)) {
    seen.push(event);
    if (event === 'third') others.emit('seen');
  }
  assert.deepEqual(seen, ['second', 'third', 'first']);
});

test('what fails is named with its test file, a module that declares tests for several is not', async () => {
  async function* events() {
    yield { type: 'test:dequeue', data: { name: 'load test/a.test.ts', file: 'run-together.js' } };
    yield { type: 'test:fail', data: { name: 'case 7', file: 'source-cases.js' } };
    yield { type: 'test:diagnostic', data: { message: 'of no file' } };
  }
  const files: unknown[] = [];
  for await (const { data } of ofTestFiles(events())) files.push(data.file);
  assert.deepEqual(files, ['test/a.test.ts', 'test/a.test.ts', undefined]);
});
