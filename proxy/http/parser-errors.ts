// Requests that node:http cannot parse or does not pass on: they never reach `handle`, but get a problem response too.
import type { Duplex } from 'node:stream';
import { answerToBytes } from './answer.ts';
import { Problem, problemToAnswer } from './problem.ts';
import { PARSER_MAX_BYTES, TARGET_MAX_BYTES } from './validate-request.ts';

/** The error of a `clientError` event of node:http. */
export interface ParserError extends Error {
  code?: string;
  /** The bytes that the parser could not parse. */
  rawPacket?: Buffer;
}

/** Sends a problem and closes the connection, on which no other response may be in progress. */
export function sendParserError(error: ParserError, socket: Duplex): void {
  sendProblem(parserErrorToProblem(error), socket);
}

/** Refuses CONNECT: a method for tunnels, whose request target is not a path. */
export function refuseConnect(socket: Duplex): void {
  sendProblem(new Problem('bad-target', 'The request target must be a path that begins with /.'), socket);
}

function sendProblem(problem: Problem, socket: Duplex): void {
  // The client may have disconnected; an error without a listener would end the process.
  socket.on('error', () => {});
  socket.end(answerToBytes(problemToAnswer(problem)));
}

function parserErrorToProblem(error: ParserError): Problem {
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

/** Did the size limit apply within the request line? The line may have begun in an earlier packet. */
function isInRequestLine(packet: Buffer | undefined): boolean {
  if (packet === undefined) return false;
  const text = packet.toString('latin1');
  const lineEnd = text.indexOf('\r\n');
  const line = lineEnd === -1 ? text : text.slice(0, lineEnd);
  const begins = /^[A-Z]+ /.test(line);
  const ends = / HTTP\/1\.[01]$/.test(line);
  // In a packet with a whole request line of allowed length, the headers are too large.
  return begins && ends ? line.length > TARGET_MAX_BYTES : ends || (begins && lineEnd === -1);
}
