// Requests that the HTTP parser gave up on: they never reach `handle`, but are answered like any other.
import type { Duplex } from 'node:stream';
import { answerToBytes } from './answer.ts';
import { Problem, problemToAnswer } from './problem.ts';
import { PARSER_MAX_BYTES, TARGET_MAX_BYTES } from './validate-request.ts';

/** What node:http says of such a request. */
export interface ParserError extends Error {
  code?: string;
  /** The bytes that the parser had before it when it gave up. */
  rawPacket?: Buffer;
}

/** Answers with a problem and closes the connection. No other answer may be under way on it. */
export function refuseUnparsed(error: ParserError, socket: Duplex): void {
  refuse(problemOf(error), socket);
}

/** Answers CONNECT: a method for tunnels, whose target is no path. */
export function refuseConnect(socket: Duplex): void {
  refuse(new Problem('bad-target', 'The request target must be a path that begins with /.'), socket);
}

function refuse(problem: Problem, socket: Duplex): void {
  // The client may be gone already; nobody else listens.
  socket.on('error', () => {});
  socket.end(answerToBytes(problemToAnswer(problem)));
}

function problemOf(error: ParserError): Problem {
  switch (error.code) {
    case 'HPE_HEADER_OVERFLOW':
      return isInRequestLine(error.rawPacket)
        ? new Problem('uri-too-long', `The request target is longer than ${PARSER_MAX_BYTES} bytes.`)
        : new Problem('headers-too-large', `The request line and headers are larger than ${PARSER_MAX_BYTES} bytes.`);
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new Problem('request-timeout', 'The request did not arrive in time.');
    default:
      return new Problem('malformed-request', 'The request could not be parsed as HTTP/1.1.');
  }
}

/** Did the parser give up within the request line? It may have begun in an earlier packet. */
function isInRequestLine(packet: Buffer | undefined): boolean {
  const [line = '', next] = packet?.toString('latin1').split('\r\n', 2) ?? [];
  const begins = /^[A-Z]+ /.test(line);
  const ends = / HTTP\/1\.[01]$/.test(line);
  // A packet that holds a whole short request line overflowed further on.
  return begins && ends ? line.length > TARGET_MAX_BYTES : ends || (begins && next === undefined);
}
