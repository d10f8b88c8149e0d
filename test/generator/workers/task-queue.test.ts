// Which task of a build begins next, with a total of memory that is made up.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defaultMemory, idleMemory, machineMemory, memoryForTasks } from '../../../generator/workers/memory.ts';
import { TaskQueue } from '../../../generator/workers/task-queue.ts';

/**
 * Runs tasks, each of which ends when all that can run beside it have begun.
 * @returns names of those that ran together
 */
async function together(queue: TaskQueue, tasks: readonly [name: string, rank: number, bytes: number][]) {
  const running = new Map<string, () => void>();
  const seen: string[] = [];
  const all = tasks.map(([name, rank, bytes]) =>
    queue.run({ rank, bytes }, () => new Promise<void>((resolve) => running.set(name, resolve))),
  );
  for (let ended = 0; ended < tasks.length; ) {
    await new Promise(setImmediate);
    seen.push([...running.keys()].join(' '));
    const [[first, end] = assert.fail('none runs')] = running;
    running.delete(first);
    end();
    ended++;
  }
  await Promise.all(all);
  return seen;
}

test('tasks that hold much run beside each other as far as the memory allows, others beside them', async () => {
  const heavy = ['a', 'b', 'c', 'd'].map((name): [string, number, number] => [name, 1, 400]);
  assert.deepEqual(await together(new TaskQueue(8, 1000), [...heavy, ['page', 2, 0]]), [
    'a b page',
    'b page c',
    'page c d',
    'c d',
    'd',
  ]);
  assert.deepEqual(await together(new TaskQueue(8), heavy), ['a b c d', 'b c d', 'c d', 'd']);
});

test('a task that holds more than there is runs alone, after those before it, and none overtakes it', async () => {
  const seen = await together(new TaskQueue(8, 1000), [
    ['reading', 0, 0],
    ['large', 1, 5000],
    ['small', 1, 10],
    ['page', 1, 0],
  ]);
  assert.deepEqual(seen, ['reading', 'large', 'small page', 'page']);
});

test('tasks for which there is room overtake one that waits for memory, eight of them, so that it has its turn', async () => {
  const small = Array.from({ length: 10 }, (_, i): [string, number, number] => [`${i}`, 1, 10]);
  const [together1, together2] = await together(new TaskQueue(20, 1000), [
    ['first', 1, 700],
    ['second', 1, 600],
    ...small,
    ['page', 1, 0],
  ]);
  assert.equal(together1, 'first 0 1 2 3 4 5 6 7 page');
  assert.equal(together2, '0 1 2 3 4 5 6 7 page second 8 9');
});

test('what children that wait keep of earlier tasks is at most a quarter of the memory for tasks', () => {
  const besides = (memory: number, workers: number) => workers * (idleMemory(memory, workers) - idleMemory(0, 1));
  assert.equal(besides(640e6, 2), 160e6);
  assert.equal(besides(640e6, 16), 160e6);
  assert.ok(idleMemory(0, 1) < 200e6);
  assert.equal(idleMemory(1e12, 1), 380e6, 'with much memory no more than this');
});

test('lower ranks begin first, then those that hold most, then those that came first', async () => {
  const seen = await together(new TaskQueue(1), [
    ['page', 4, 0],
    ['other', 4, 0],
    ['cells', 2, 5],
    ['more cells', 2, 9],
    ['reading', 1, 0],
  ]);
  assert.deepEqual(seen, ['reading', 'more cells', 'cells', 'page', 'other']);
});

test('the memory is that of the machine, or the limit of a control group, less that of the processes', () => {
  assert.equal(machineMemory(16e9, 0), 16e9);
  assert.equal(machineMemory(16e9, 2e9), 2e9);
  assert.equal(machineMemory(16e9, 2 ** 64), 16e9);
  assert.ok(defaultMemory() > 0);
  assert.equal(memoryForTasks(2e9, 1) - memoryForTasks(2e9, 3), 240e6);
  assert.equal(memoryForTasks(2e9, 1000), 0);
});
