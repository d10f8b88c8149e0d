// Bytes that requests over HTTP allocate on the heap of the server's process, garbage included; the client is a process
// of its own. The control is the limit in the same process.
import { once } from 'node:events';
import type { Server } from 'node:http';
import { type HeapProfiler, Session } from 'node:inspector/promises';
import type { AddressInfo } from 'node:net';

const SAMPLING_BYTES = 1024;
/**
 * The least of several passes counts: a slow read on a busy machine makes the proxy read in the thread pool for a
 * while.
 */
const PASSES = 3;
/**
 * Bytes of heap for each request.
 * @param load sends so many requests to a port
 * @param requests number of requests
 */
export async function heapBytesOf(
  server: Server,
  load: (port: number, requests: number) => Promise<void>,
  requests: number,
): Promise<number> {
  const port = await listen(server);
  // Compiles the code: what the compiler allocates is not counted.
  await load(port, requests);
  const session = new Session();
  session.connect();
  let least = Number.POSITIVE_INFINITY;
  for (let pass = 0; pass < PASSES; pass++) {
    await session.post('HeapProfiler.startSampling', {
      samplingInterval: SAMPLING_BYTES,
      includeObjectsCollectedByMajorGC: true,
      includeObjectsCollectedByMinorGC: true,
    });
    await load(port, requests);
    const { profile } = await session.post('HeapProfiler.stopSampling');
    least = Math.min(least, bytesUnder(profile.head) / requests);
  }
  session.disconnect();
  server.close();
  return least;
}

function bytesUnder({ selfSize, children }: HeapProfiler.SamplingHeapProfileNode): number {
  return children.reduce((sum, child) => sum + bytesUnder(child), selfSize);
}

/** The URL of a server, which listens from now on. */
export async function urlOf(server: Server): Promise<string> {
  return `http://127.0.0.1:${await listen(server)}`;
}

async function listen(server: Server): Promise<number> {
  if (!server.listening) await once(server.listen(0, '127.0.0.1'), 'listening');
  return (server.address() as AddressInfo).port;
}
