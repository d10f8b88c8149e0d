// What a child process still holds after a task is not counted by those that come: it is ended if that is much.
import assert from 'node:assert/strict';
import { extname } from 'node:path';
import { test } from 'node:test';
import { openPool } from '../../generator/workers/pool.ts';
import type { hold } from '../support/processes/held-memory.ts';

const MIB = 1024 * 1024;
const module = new URL(`../support/processes/held-memory${extname(import.meta.url)}`, import.meta.url).href;

/** The processes of tasks that one after the other hold so many bytes. */
async function processesOf(memory: number, bytes: readonly number[]): Promise<number[]> {
  const pool = openPool(1, 0, memory);
  const processes: number[] = [];
  try {
    for (const task of bytes)
      processes.push(await pool.run<typeof hold>({ module, name: 'hold', phase: 'hold' }, task));
  } finally {
    await pool.close();
  }
  return processes;
}

test('a child process that holds much after its task is ended, where memory is short', async () => {
  const [first, second, third] = await processesOf(0, [1, 400 * MIB, 1]);
  assert.equal(first, second);
  assert.notEqual(second, third);
  const [one, ...others] = await processesOf(1024 * MIB, [400 * MIB, 1, 1]);
  assert.deepEqual(others, [one, one]);
});
