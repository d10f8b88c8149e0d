// The ways in which a host that has the files fails, for the tests of hosts (failing-host.ts) and the soak. What it
// answers before the first byte, how its answers end half-way, and one flipped byte anywhere.
import { readFileSync } from 'node:fs';
import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { partOf, writePartHead } from '../support/http/static-host.ts';

/** Answers a request for a file, or for a range of it. */
type Failure = (res: ServerResponse, file: string, range: string | undefined) => void;

/** One of the ways. */
export interface HostFault {
  what: string;
  fail: Failure;
  /** The answer to a client that asks for a small page. */
  code: 'origin-damaged' | 'origin-slow';
  /** What becomes of larger answers, and of those that need other bytes. */
  others: RegExp;
}

/** Status codes without a page. */
const STATUSES = [201, 204, 301, 302, 303, 304, 307, 308, 400, 401, 403, 404, 410, 416, 429, 500, 502, 503, 504];
/** Of the answers that end half-way so much is sent. */
const SHARES = [0.1, 0.5, 0.99];
const FLIPS = 24;

const DAMAGED = { code: 'origin-damaged', others: /^origin-damaged$/ } as const;
/** A large page or feature without a length is known to be wrong only when some of it has gone. */
const SEEN_LATE = { code: 'origin-damaged', others: /^(origin-damaged|cut)$/ } as const;
const SLOW = { code: 'origin-slow', others: /^origin-slow$/ } as const;
const HALF_WAY = /^(cut|origin-damaged|origin-slow|no gzip)$/;

/** Answers with a status and a text that no client may see. */
function status(code: number, headers: OutgoingHttpHeaders = {}): Failure {
  return (res) => res.writeHead(code, headers).end('<html>releases secret</html>');
}

/** Answers well-formed, with other bytes. */
function other(change: (bytes: Buffer) => Buffer): Failure {
  return (res, file, range) => {
    const bytes = change(partOf(readFileSync(file), range));
    writePartHead(res, bytes, range).end(bytes);
  };
}

function raw(text: string): Failure {
  return (res) => res.socket?.end(text);
}

/** Sends a share of the right bytes, and ends in some way. */
function halfWay(share: number, end: (res: ServerResponse) => void): Failure {
  return (res, file, range) => {
    const bytes = partOf(readFileSync(file), range);
    writePartHead(res, bytes, range);
    res.write(bytes.subarray(0, Math.floor(bytes.length * share)), () => end(res));
  };
}

/** Flips a bit at a share of the file. */
function flipped(share: number): Failure {
  return (res, file, range) => {
    const bytes = readFileSync(file);
    const at = Math.floor(share * bytes.length);
    bytes.writeUInt8(bytes.readUInt8(at) ^ 0x20, at);
    const part = partOf(bytes, range);
    writePartHead(res, part, range).end(part);
  };
}

const ENDINGS: readonly [what: string, code: HostFault['code'], end: (res: ServerResponse) => void][] = [
  ['cut', 'origin-damaged', (res) => res.destroy()],
  ['silent', 'origin-slow', () => {}],
  ['ended', 'origin-damaged', (res) => res.socket?.end()],
];

/** Headers that lead elsewhere, as those of redirects do. */
const ELSEWHERE = { Location: '/elsewhere.gz' };
const OTHER_RANGE = { 'Content-Range': 'bytes 1-2/9' };

/** All of them. */
export const HOST_FAULTS: readonly HostFault[] = [
  ...STATUSES.map((code) => ({ what: `${code}`, fail: status(code, code < 400 ? ELSEWHERE : {}), ...DAMAGED })),
  { what: '200 with a page of HTML', fail: status(200), ...SEEN_LATE },
  { what: '206 of another range', fail: (res) => res.writeHead(206, OTHER_RANGE).end('ab'), ...DAMAGED },
  { what: '206 without a range', fail: status(206), ...DAMAGED },
  { what: 'an empty body', fail: other(() => Buffer.alloc(0)), ...DAMAGED },
  { what: 'a shorter body', fail: other((bytes) => bytes.subarray(0, -1)), ...DAMAGED },
  { what: 'a longer body', fail: other((bytes) => Buffer.concat([bytes, Buffer.alloc(1)])), ...SEEN_LATE },
  { what: 'a closed connection', fail: (res) => res.destroy(), ...DAMAGED },
  { what: 'no HTTP', fail: raw('nonsense\r\n\r\n'), ...DAMAGED },
  {
    what: 'two lengths',
    fail: raw('HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\na'),
    ...DAMAGED,
  },
  { what: 'endless headers', fail: raw(`HTTP/1.1 200 OK\r\nX: ${'a'.repeat(99_999)}\r\n\r\n`), ...DAMAGED },
  {
    what: 'another page',
    fail: (res, file) => res.writeHead(200).end(readFileSync(file.replace(/lv\d/, 'lv3'))),
    ...SEEN_LATE,
  },
  { what: 'no answer', fail: () => {}, ...SLOW },
  { what: 'half of its headers', fail: (res) => res.socket?.write('HTTP/1.1 200 OK\r\nContent-'), ...SLOW },
  ...ENDINGS.flatMap(([what, code, end]) =>
    SHARES.map((share) => ({ what: `${what} at ${share}`, fail: halfWay(share, end), code, others: HALF_WAY })),
  ),
  ...Array.from({ length: FLIPS }, (_, i) => ({
    what: `a bit flipped at ${i} of ${FLIPS} parts`,
    fail: flipped(i / FLIPS),
    code: 'origin-damaged' as const,
    // Requests that do not read the byte get what they asked for.
    others: /^(origin-damaged|cut|right)$/,
  })),
];

/** Of a host whose Content-Encoding nobody undoes. */
export const COMPRESSED_TWICE: HostFault = {
  what: 'compressed twice',
  fail: (res, file) => res.writeHead(200, { 'Content-Encoding': 'gzip' }).end(gzipSync(readFileSync(file))),
  ...SEEN_LATE,
};

/** One of each kind. */
export const NAMED_FAULTS: ReadonlySet<string> = new Set([
  ...['302', '404', '503', '206 of another range', 'a shorter body', 'a longer body', 'a closed connection'],
  ...['no answer', 'cut at 0.5', 'silent at 0.5', 'a bit flipped at 7 of 24 parts'],
]);
