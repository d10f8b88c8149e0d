// Bytes that requests over HTTP allocate on the heap of the server's process, garbage included; the client is a process of
// its own. The control is a bare server in the same process.
import { once } from 'node:events';
import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { createServer, get, type Server } from 'node:http';
import { type HeapProfiler, Session } from 'node:inspector/promises';
import type { AddressInfo } from 'node:net';
import { crc32 } from 'node:zlib';

/** Answers as the proxy gives them. */
export interface Sample {
  /** Alternating names and values, without those that node:http adds by itself. */
  headers: string[];
  body: Buffer;
}

const SAMPLING_BYTES = 1024;
/** Headers that node:http writes. */
const OWN_HEADERS = ['date', 'connection', 'keep-alive'];

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
  await session.post('HeapProfiler.startSampling', {
    samplingInterval: SAMPLING_BYTES,
    includeObjectsCollectedByMajorGC: true,
    includeObjectsCollectedByMinorGC: true,
  });
  await load(port, requests);
  const { profile } = await session.post('HeapProfiler.stopSampling');
  session.disconnect();
  server.close();
  return bytesUnder(profile.head) / requests;
}

function bytesUnder({ selfSize, children }: HeapProfiler.SamplingHeapProfileNode): number {
  return children.reduce((sum, child) => sum + bytesUnder(child), selfSize);
}

/** A server that sends a body from memory with the headers of a real answer. */
export function bareServer({ headers, body }: Sample): Server {
  return createServer((_, res) => void res.writeHead(200, headers).end(body));
}

/** The same with one read of the same size at a random place of a file, into a new buffer, and its CRC-32. */
export function bareReadingServer({ headers, body }: Sample, file: string): Server {
  const bytes = body.length;
  const places = statSync(file).size - bytes;
  if (places <= 0) throw new Error(`${file} is shorter than an answer`);
  const descriptor = openSync(file, 'r');
  const server = createServer((_, res) => {
    const read = Buffer.allocUnsafe(bytes);
    readSync(descriptor, read, 0, bytes, Math.floor(Math.random() * places));
    crc32(read);
    res.writeHead(200, headers).end(read);
  });
  return server.once('close', () => closeSync(descriptor));
}

/** A real answer of a server. */
export async function sampleOf(server: Server, path: string, headers: Record<string, string>): Promise<Sample> {
  const port = await listen(server);
  const [answer] = await once(get({ port, path, headers, agent: false }), 'response');
  const chunks: Buffer[] = [];
  for await (const chunk of answer) chunks.push(chunk);
  const raw: string[] = answer.rawHeaders;
  const isOwn = (name: string): boolean => OWN_HEADERS.includes(name.toLowerCase());
  return { headers: raw.filter((_, i) => !isOwn(raw[i - (i % 2)] ?? '')), body: Buffer.concat(chunks) };
}

async function listen(server: Server): Promise<number> {
  if (!server.listening) await once(server.listen(0, '127.0.0.1'), 'listening');
  return (server.address() as AddressInfo).port;
}
