// What a child process still holds after a task is not counted by those that come: if that is much it gives it back, or is
// ended.
import assert from 'node:assert/strict';
import { extname } from 'node:path';
import { test } from 'node:test';
import { openPool } from '../../../generator/workers/pool.ts';
import type { hold } from '../../support/processes/held-memory.ts';
import { until } from '../../support/until.ts';

const MIB = 1024 * 1024;
/** With what a process has itself it is well above what one may keep where memory is short, and below the most. */
const MUCH = 200 * MIB;
const module = new URL(`../../support/processes/held-memory${extname(import.meta.url)}`, import.meta.url).href;

/** The processes of tasks that one after the other hold so many bytes, or only use them. */
async function processesOf(memory: number, bytes: readonly number[], name: 'hold' | 'use' = 'hold') {
  const pool = openPool(1, 0, memory);
  const processes: number[] = [];
  try {
    for (const task of bytes) processes.push(await pool.run<typeof hold>({ module, name, phase: 'hold' }, task));
  } finally {
    await pool.close();
  }
  return processes;
}

test('a child process that holds much after its task is ended, where memory is short', async () => {
  const [first, second, third] = await processesOf(0, [1, MUCH, 1]);
  assert.equal(first, second);
  assert.notEqual(second, third);
  const [one, ...others] = await processesOf(1024 * MIB, [MUCH, 1, 1]);
  assert.deepEqual(others, [one, one]);
});

test('a child process gives back what a task has used, and does the next one', async () => {
  const [one, ...others] = await processesOf(0, [MUCH, MUCH, 1], 'use');
  assert.deepEqual(others, [one, one]);
});

test('a task that needs more than there is runs in a new process, and those that wait are ended', async () => {
  const pool = openPool(2, 2, 100 * MIB);
  const run = (bytes: number) => pool.run<typeof hold>({ module, name: 'hold', phase: 'hold' }, 1, { rank: 0, bytes });
  try {
    const before = await Promise.all([run(0), run(0)]);
    const alone = await run(101 * MIB);
    assert.ok(!before.includes(alone));
    await until(() => !before.some(isAlive), 'the processes that waited live');
    assert.equal(await run(100 * MIB), alone, 'one that fits takes the process that is there');
  } finally {
    await pool.close();
  }
});

function isAlive(id: number): boolean {
  try {
    return process.kill(id, 0);
  } catch {
    return false;
  }
}
