// What a request costs a service in this process: its CPU, and the longest turn of the event loop.
import { setImmediate } from 'node:timers/promises';
import { Connection, type Response } from '../../simulation/connection.ts';
import { VirtualTime } from '../../simulation/virtual-time.ts';
import type { RunningService } from './in-process-proxy.ts';

export interface TurnCost {
  response: Response | undefined;
  /** Milliseconds of CPU of this process, user and system, in all turns. */
  cpuMs: number;
  /**
   * Milliseconds of the longest turn: of CPU or of the clock, whichever are less. CPU is that of this thread where Node
   * tells it apart: others, which read, inflate and collect, keep nobody waiting.
   */
  longestMs: number;
}

/** Does Node tell the CPU of this thread apart? */
export const COUNTS_THREAD: boolean = typeof process.threadCpuUsage === 'function';

const ownCpu = COUNTS_THREAD ? process.threadCpuUsage : process.cpuUsage;

/** Milliseconds since a moment. */
function msSince({ cpu, own, clock }: ReturnType<typeof moment>): { cpuMs: number; turnMs: number } {
  const msOf = ({ user, system }: NodeJS.CpuUsage): number => (user + system) / 1000;
  return { cpuMs: msOf(process.cpuUsage(cpu)), turnMs: Math.min(msOf(ownCpu(own)), performance.now() - clock) };
}

function moment() {
  return { cpu: process.cpuUsage(), own: ownCpu(), clock: performance.now() };
}

/** Sends a request over a connection in memory, which takes all at once. @param head request line and headers */
export async function costOf({ server }: Pick<RunningService, 'server'>, head: string): Promise<TurnCost> {
  const connection = new Connection(new VirtualTime(), `${head}\r\n\r\n`, { paceMs: 0, leavesMs: undefined });
  connection.on('error', () => {});
  let [cpuMs, longestMs] = [0, 0];
  await setImmediate();
  let before = moment();
  server.emit('connection', connection);
  for (let isOver = false; !isOver; before = moment()) {
    isOver = connection.closed;
    await setImmediate();
    const turn = msSince(before);
    cpuMs += turn.cpuMs;
    longestMs = Math.max(longestMs, turn.turnMs);
  }
  return { response: connection.response, cpuMs, longestMs };
}
