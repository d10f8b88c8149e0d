// Run in child processes of a pool by memory.ci.test.ts: a task whose memory stays with its process.
const held: Buffer[] = [];

/** Keeps so many bytes. @returns the id of this process */
export function hold(bytes: number): number {
  held.push(Buffer.alloc(bytes, 1));
  return process.pid;
}
