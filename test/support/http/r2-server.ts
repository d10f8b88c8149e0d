// A bucket of R2 for tests: a server with the part of the protocol of workerd's R2 binding that reads objects. The
// binding in the Worker is the real one; this end of it is a stand-in for Cloudflare's.
import { readFileSync, statSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { listen } from './listen.ts';

/** Of an object that does not exist. */
const NO_SUCH_KEY = 10007;
/** Of an error inside R2. */
const INTERNAL_ERROR = 10001;

export interface RunningBucket {
  port: number;
  asked: string[];
  isBroken: boolean;
}

/** Starts a server for a folder, whose files are the objects; it stops when the test file ends. */
export async function startR2(folder: string): Promise<RunningBucket> {
  const bucket: RunningBucket = { port: 0, asked: [], isBroken: false };
  const server = createServer((req, res) => {
    const { method, object: key, range } = JSON.parse(String(req.headers['cf-r2-request']));
    bucket.asked.push(key);
    const size = statSync(join(folder, key), { throwIfNoEntry: false })?.size;
    if (bucket.isBroken || method !== 'get') refuse(res, 500, INTERNAL_ERROR);
    else if (size === undefined) refuse(res, 404, NO_SUCH_KEY);
    else answer(res, key, readFileSync(join(folder, key)), range);
  });
  bucket.port = await listen(server);
  return bucket;
}

/** Metadata as JSON, then the bytes. */
function answer(res: ServerResponse, key: string, all: Buffer, range?: { offset: string; length: string }): void {
  const offset = Number(range?.offset ?? 0);
  const length = Math.min(Number(range?.length ?? all.length), all.length - offset);
  const about = { name: key, version: '1', size: all.length, etag: '0', uploaded: 0, range: { offset, length } };
  const metadata = Buffer.from(JSON.stringify({ ...about, httpFields: {}, customFields: [], checksums: {} }));
  res.writeHead(200, {
    'CF-R2-Metadata-Size': String(metadata.length),
    'Content-Length': String(metadata.length + length),
  });
  res.end(Buffer.concat([metadata, all.subarray(offset, offset + length)]));
}

function refuse(res: ServerResponse, status: number, v4code: number): void {
  res.writeHead(status, { 'CF-R2-Error': JSON.stringify({ version: 0, v4code, message: 'refused' }) }).end();
}
