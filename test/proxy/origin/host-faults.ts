// The ways in which a host that has the files fails, an example of each, for the tests of hosts (failing-host.ts) and
// the soak. In any order, and beside everything else, simulations have them (simulation/memory-host.ts).
import { readFileSync } from 'node:fs';
import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { partOf, writePartHead } from '../../support/http/static-host.ts';

type Failure = (res: ServerResponse, file: string, range: string | undefined) => void;

export interface HostFault {
  what: string;
  fail: Failure;
  /** The answer to a client that asks for a small page. */
  code: 'origin-damaged' | 'origin-slow' | 'origin-unreachable';
  /** What becomes of larger answers, and of those that need other bytes. */
  others: RegExp;
}

const DAMAGED = { code: 'origin-damaged', others: /^origin-damaged$/ } as const;
/** A large page or feature without a length is known to be wrong only when some of it has gone. */
const SEEN_LATE = { code: 'origin-damaged', others: /^(origin-damaged|cut)$/ } as const;
const UNREACHABLE = { code: 'origin-unreachable', others: /^origin-unreachable$/ } as const;
const SLOW = { code: 'origin-slow', others: /^origin-slow$/ } as const;
const HALF_WAY = /^(cut|origin-damaged|origin-slow|no gzip)$/;
/** Where a bit of a file is flipped. */
const FLIPPED_SHARE = 0.3;

/** Answers with a status and a text that no client may see. */
function status(code: number, headers: OutgoingHttpHeaders = {}): Failure {
  return (res) => res.writeHead(code, headers).end('<html>releases secret</html>');
}

function other(change: (bytes: Buffer) => Buffer): Failure {
  return (res, file, range) => {
    const bytes = change(partOf(readFileSync(file), range));
    writePartHead(res, bytes, range).end(bytes);
  };
}

function raw(text: string): Failure {
  return (res) => res.socket?.end(text);
}

/** Sends the first half of the right bytes, and ends in some way. */
function halfWay(end: (res: ServerResponse) => void): Failure {
  return (res, file, range) => {
    const bytes = partOf(readFileSync(file), range);
    writePartHead(res, bytes, range);
    res.write(bytes.subarray(0, bytes.length >> 1), () => end(res));
  };
}

const flipped: Failure = (res, file, range) => {
  const bytes = readFileSync(file);
  const at = Math.floor(bytes.length * FLIPPED_SHARE);
  bytes.writeUInt8(bytes.readUInt8(at) ^ 0x20, at);
  const part = partOf(bytes, range);
  writePartHead(res, part, range).end(part);
};

/** Headers that lead elsewhere, as those of redirects do. */
const ELSEWHERE = { Location: '/elsewhere.gz' };
const OTHER_RANGE = { 'Content-Range': 'bytes 1-2/9' };

export const HOST_FAULTS: readonly HostFault[] = [
  { what: '302', fail: status(302, ELSEWHERE), ...DAMAGED },
  { what: '404', fail: status(404), ...DAMAGED },
  { what: '403', fail: status(403), ...DAMAGED },
  { what: '429', fail: status(429), ...UNREACHABLE },
  { what: '500', fail: status(500), ...UNREACHABLE },
  { what: '503', fail: status(503), ...UNREACHABLE },
  { what: '200 with a page of HTML', fail: status(200), ...SEEN_LATE },
  { what: '206 of another range', fail: (res) => res.writeHead(206, OTHER_RANGE).end('ab'), ...DAMAGED },
  { what: 'a shorter body', fail: other((bytes) => bytes.subarray(0, -1)), ...DAMAGED },
  { what: 'a longer body', fail: other((bytes) => Buffer.concat([bytes, Buffer.alloc(1)])), ...SEEN_LATE },
  { what: 'a closed connection', fail: (res) => res.destroy(), ...UNREACHABLE },
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
  { what: 'cut half-way', fail: halfWay((res) => res.destroy()), code: 'origin-damaged', others: HALF_WAY },
  { what: 'silent half-way', fail: halfWay(() => {}), code: 'origin-slow', others: HALF_WAY },
  { what: 'ended half-way', fail: halfWay((res) => res.socket?.end()), code: 'origin-damaged', others: HALF_WAY },
  // Requests that do not read the byte get what they asked for.
  { what: 'a flipped bit', fail: flipped, code: 'origin-damaged', others: /^(origin-damaged|cut|right)$/ },
];

/** Of a host whose Content-Encoding nobody undoes. */
export const COMPRESSED_TWICE: HostFault = {
  what: 'compressed twice',
  fail: (res, file) => res.writeHead(200, { 'Content-Encoding': 'gzip' }).end(gzipSync(readFileSync(file))),
  ...SEEN_LATE,
};
