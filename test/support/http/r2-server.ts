// A bucket of Cloudflare R2 for tests: a server with the part of the protocol of workerd's R2 binding that reads objects.
// The binding in the Worker is the real one; this end of it is a stand-in for Cloudflare's.
import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { listen } from './listen.ts';

/** Of an object that does not exist. */
const NO_SUCH_KEY = 10007;
/** Of an error inside R2. */
const INTERNAL_ERROR = 10001;

export interface RunningBucket {
  port: number;
  /** What was read, and how many bytes of it. */
  asked: { key: string; bytes: number }[];
  isBroken: boolean;
}

/** A range of an object, as the binding writes it. */
interface AskedRange {
  offset?: string;
  length?: string;
}

/** Starts the bucket with the files of a folder; it stops when the test file ends. */
export async function startR2(folder: string): Promise<RunningBucket> {
  const bucket: RunningBucket = { port: 0, asked: [], isBroken: false };
  const server = createServer((req, res) => {
    const { method, object: key, range } = JSON.parse(String(req.headers['cf-r2-request']));
    const file = join(folder, key);
    const size = statSync(file, { throwIfNoEntry: false })?.size;
    let bytes = 0;
    if (bucket.isBroken || method !== 'get') refuse(res, 500, INTERNAL_ERROR);
    else if (size === undefined) refuse(res, 404, NO_SUCH_KEY);
    else bytes = answer(res, key, file, size, range);
    bucket.asked.push({ key, bytes });
  });
  bucket.port = await listen(server);
  return bucket;
}

/** Metadata as JSON, then the bytes. @returns how many these are */
function answer(res: ServerResponse, key: string, file: string, size: number, range: AskedRange = {}): number {
  const offset = Number(range.offset ?? 0);
  const length = Math.min(Number(range.length ?? size), size - offset);
  const about = { name: key, version: '1', size, etag: '0', uploaded: 0, range: { offset, length } };
  const metadata = Buffer.from(JSON.stringify({ ...about, httpFields: {}, customFields: [], checksums: {} }));
  const body = Buffer.alloc(metadata.length + length);
  metadata.copy(body);
  const descriptor = openSync(file, 'r');
  readSync(descriptor, body, metadata.length, length, offset);
  closeSync(descriptor);
  res.writeHead(200, { 'CF-R2-Metadata-Size': String(metadata.length), 'Content-Length': String(body.length) });
  res.end(body);
  return length;
}

function refuse(res: ServerResponse, status: number, v4code: number): void {
  res.writeHead(status, { 'CF-R2-Error': JSON.stringify({ version: 0, v4code, message: 'refused' }) }).end();
}
