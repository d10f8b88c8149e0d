// Stops an HTTP server without losing the requests of busy connections.
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { Server as NetServer } from 'node:net';
import type { Time } from '../http/time.ts';
import type { Lifecycle } from '../operations/health.ts';

const IDLE_CHECK_MS = 50;
/** A kept-alive connection can still be used for this long after the server has stopped accepting connections. */
const IDLE_GRACE_MS = 250;

/** How a server stops, in milliseconds. */
export interface StopTimes {
  /** Connections are still accepted for this long, so that load balancers notice that /readyz is 503. */
  drainMs: number;
  /** After that, responses that take longer than this are cut. */
  timeoutMs: number;
}

/**
 * Stops a server: from now on its responses close their connections. Waits, stops accepting connections, lets responses
 * in progress end, and resolves when all connections are closed.
 * @param sockets its open connections at any time
 */
export async function stopServer(
  server: Server,
  sockets: { [Symbol.iterator](): Iterator<Socket> },
  lifecycle: Lifecycle,
  { drainMs, timeoutMs }: StopTimes,
  time: Time,
): Promise<void> {
  lifecycle.isStopping = true;
  if (drainMs > 0 && server.listening) await new Promise<void>((resolve) => time.after(drainMs, resolve));
  // `close` of node:http would close kept-alive connections at once, on which a request may be under way.
  const closed = new Promise<void>((resolve) => {
    NetServer.prototype.close.call(server, () => resolve());
  });
  const closeIdle = (): void => {
    cancelCheck = time.after(IDLE_CHECK_MS, closeIdle);
    server.closeIdleConnections();
  };
  let cancelCheck = time.after(IDLE_GRACE_MS, closeIdle);
  const cancelDeadline = time.after(timeoutMs, () => {
    // `closeAllConnections` leaves out those of CONNECT, which node:http has given up.
    for (const socket of sockets) socket.destroy();
  });
  await closed;
  cancelCheck();
  cancelDeadline();
  // Ends the checks of node:http for slow requests.
  server.close();
}
