// What a request costs a service in this process: its CPU, and that of its longest turn of the event loop.
import { setImmediate } from 'node:timers/promises';
import { Connection, type Response } from '../../simulation/connection.ts';
import { VirtualTime } from '../../simulation/virtual-time.ts';
import type { RunningService } from './in-process-proxy.ts';

export interface TurnCost {
  response: Response | undefined;
  /** Milliseconds of this process, user and system: of all turns, and of the longest. */
  cpuMs: number;
  longestMs: number;
}

/** Sends a request over a connection in memory, which takes all at once. @param head request line and headers */
export async function costOf({ server }: Pick<RunningService, 'server'>, head: string): Promise<TurnCost> {
  const connection = new Connection(new VirtualTime(), `${head}\r\n\r\n`, { paceMs: 0, leavesMs: undefined });
  connection.on('error', () => {});
  let [cpuMs, longestMs] = [0, 0];
  await setImmediate();
  let before = process.cpuUsage();
  server.emit('connection', connection);
  for (let isOver = false; !isOver; ) {
    isOver = connection.closed;
    await setImmediate();
    const { user, system } = process.cpuUsage(before);
    before = process.cpuUsage();
    const ms = (user + system) / 1000;
    cpuMs += ms;
    longestMs = Math.max(longestMs, ms);
  }
  return { response: connection.response, cpuMs, longestMs };
}
