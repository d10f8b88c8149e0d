// The control of the serving benchmark, "the limit": a bare Node server that sends the headers of the proxy and does
// what no server of these answers can avoid. A process of its own, compiled; its argument is a JSON file with the plan.
import { hash } from 'node:crypto';
import { closeSync, openSync, readFileSync, readSync, statSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { crc32 } from 'node:zlib';

/** What to do for each request, whatever it asks. */
export type LimitPlan = {
  /** Alternating names and values of a real answer. */
  headers: string[];
} & (
  | { kind: 'memory'; bytes: number }
  /**
   * One read at a random place of one of the files into a new buffer, and its CRC-32; before it the same of a file
   * where it is looked up what to send.
   */
  | { kind: 'slice'; sizes: number[]; files: string[]; lookUp: { bytes: number; file: string } | undefined }
  /** Open, read, close and the SHA-256. */
  | { kind: 'page'; pages: string[] }
);

function limitServer(plan: LimitPlan): Server {
  const { headers } = plan;
  const lengthAt = headers.findIndex((text, i) => i % 2 === 0 && text.toLowerCase() === 'content-length') + 1;
  if (lengthAt === 0) throw new Error('the real answer has no Content-Length');
  let asked = 0;
  switch (plan.kind) {
    case 'memory': {
      const body = Buffer.alloc(plan.bytes, 'x');
      headers[lengthAt] = String(plan.bytes);
      return createServer((_, res) => void res.writeHead(200, headers).end(body));
    }
    case 'slice': {
      const { sizes, lookUp } = plan;
      const most = Math.max(...sizes);
      const files = plan.files.map((file) => placesIn(file, most)).filter(({ places }) => places > 0);
      const first = lookUp && { ...placesIn(lookUp.file, lookUp.bytes), bytes: lookUp.bytes };
      return createServer((_, res) => {
        if (first !== undefined) crc32(readSomewhere(first, first.bytes));
        const bytes = sizes[asked++ % sizes.length] ?? 0;
        const body = readSomewhere(anyOf(files), bytes);
        crc32(body);
        headers[lengthAt] = String(bytes);
        res.writeHead(200, headers).end(body);
      });
    }
    case 'page': {
      const pages = plan.pages.map((file) => ({ file, bytes: statSync(file).size }));
      return createServer((_, res) => {
        const { file, bytes } = anyOf(pages);
        const body = Buffer.allocUnsafe(bytes);
        const descriptor = openSync(file, 'r');
        readSync(descriptor, body, 0, bytes, 0);
        closeSync(descriptor);
        hash('sha256', body);
        headers[lengthAt] = String(bytes);
        res.writeHead(200, headers).end(body);
      });
    }
  }
}

/** An open file with places for so many bytes. */
interface Places {
  places: number;
  descriptor: number;
}

function placesIn(file: string, bytes: number): Places {
  return { places: statSync(file).size - bytes, descriptor: openSync(file, 'r') };
}

function readSomewhere({ places, descriptor }: Places, bytes: number): Buffer {
  const target = Buffer.allocUnsafe(bytes);
  readSync(descriptor, target, 0, bytes, Math.floor(Math.random() * places));
  return target;
}

function anyOf<T>(values: readonly T[]): T {
  const value = values[Math.floor(Math.random() * values.length)];
  if (value === undefined) throw new Error('no file is long enough');
  return value;
}

const server = limitServer(JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')));
server.listen(0, '127.0.0.1', () =>
  console.log(`listening at http://127.0.0.1:${(server.address() as AddressInfo).port}`),
);
