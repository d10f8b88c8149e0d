// A static host for tests: serves a folder over HTTP with ranges, remembers what it was asked, and fails when told to.
import { createReadStream, statSync } from 'node:fs';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type Server,
  type ServerResponse,
} from 'node:http';
import { join } from 'node:path';
import { pipeline } from 'node:stream';
import { listen } from './listen.ts';

export interface Asked {
  method: string;
  url: string;
  headers: IncomingHttpHeaders;
}

/** Answers instead of the host; false leaves the answer to it. */
export type Fault = (req: IncomingMessage, res: ServerResponse, file: string) => boolean;

export interface RunningHost {
  url: URL;
  server: Server;
  asked: Asked[];
  fault: Fault | undefined;
}

/** Starts a host for a folder; it stops when the test file ends. */
export async function startStaticHost(folder: string): Promise<RunningHost> {
  const server = createServer((req, res) => {
    host.asked.push({ method: req.method ?? '', url: req.url ?? '', headers: req.headers });
    const file = join(folder, decodeURI((req.url ?? '').split('?')[0] ?? ''));
    if (!host.fault?.(req, res, file)) sendFile(file, req, res, {});
  });
  const port = await listen(server);
  const host: RunningHost = { url: new URL(`http://127.0.0.1:${port}/`), server, asked: [], fault: undefined };
  return host;
}

/** Holds back what the host is asked for whose path has this text. @returns how much that is, and what answers it */
export function holdRequests(host: RunningHost, part: string): { held(): number; release(): void } {
  const held: (() => void)[] = [];
  host.fault = (req, res) =>
    req.url?.includes(part) === true && held.push(() => host.server.emit('request', req, res)) > 0;
  return {
    held: () => held.length,
    release() {
      host.fault = undefined;
      for (const answer of held) answer();
    },
  };
}

/** Answers GET or HEAD with a file or one range of it, or 404. */
export function sendFile(file: string, req: IncomingMessage, res: ServerResponse, headers: OutgoingHttpHeaders): void {
  const size = statSync(file, { throwIfNoEntry: false })?.size;
  if (size === undefined) {
    res.writeHead(404, { 'Content-Type': 'text/html' }).end('<h1>Not Found</h1>');
    return;
  }
  const [, from, to] = /^bytes=([0-9]+)-([0-9]+)$/.exec(req.headers.range ?? '') ?? [];
  const start = Number(from ?? 0);
  const end = Math.min(Number(to ?? size - 1), size - 1);
  // Also the range of no bytes that ends before it begins, as nginx does.
  if (from !== undefined && start > end) {
    res.writeHead(416, { 'Content-Range': `bytes */${size}` }).end();
    return;
  }
  const range = from === undefined ? {} : { 'Content-Range': `bytes ${start}-${end}/${size}` };
  res.writeHead(from === undefined ? 200 : 206, { ...headers, 'Content-Length': String(end - start + 1), ...range });
  if (req.method === 'HEAD' || size === 0) res.end();
  else pipeline(createReadStream(file, { start, end }), res, () => {});
}

/** The part of a file's bytes that a Range asks for; all without one. */
export function partOf(bytes: Buffer, range: string | undefined): Buffer {
  const [from = 0, to = bytes.length - 1] = (range?.match(/\d+/g) ?? []).map(Number);
  return bytes.subarray(from, to + 1);
}

/** Answers well-formed, whatever bytes these are. @returns the response, for what is sent of them */
export function writePartHead(res: ServerResponse, part: Buffer, range: string | undefined): ServerResponse {
  const [from = 0, to = 0] = (range?.match(/\d+/g) ?? []).map(Number);
  return res.writeHead(range ? 206 : 200, {
    'Content-Length': String(part.length),
    ...(range ? { 'Content-Range': `bytes ${from}-${to}/999999999` } : {}),
  });
}
