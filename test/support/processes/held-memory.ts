// Run in child processes of a pool by memory.ci.ts: tasks whose memory stays with their process.
const held: Buffer[] = [];

/** Keeps so many bytes. @returns the id of this process */
export function hold(bytes: number): number {
  held.push(Buffer.alloc(bytes, 1));
  return process.pid;
}

/** Uses so many bytes, and lets go of them. @returns the id of this process */
export function use(bytes: number): number {
  Buffer.alloc(bytes, 1);
  return process.pid;
}
