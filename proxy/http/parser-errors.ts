// Requests that node:http cannot parse or does not pass on: they never reach `handle`, but get a problem response too.
import { STATUS_CODES } from 'node:http';
import type { Answer } from './answer.ts';
import { Problem, problemToAnswer } from './problem.ts';
import { PARSER_MAX_BYTES, TARGET_MAX_BYTES } from './validate-request.ts';

/** The error of a `clientError` event of node:http. */
export interface ParserError extends Error {
  code?: string;
  /** The bytes that the parser could not parse. */
  rawPacket?: Buffer;
}

/** The response to a request that cannot be parsed; it closes the connection. */
export function parserErrorToResponse(error: ParserError): Buffer {
  return answerToBytes(problemToAnswer(parserErrorToProblem(error)));
}

/** The response to CONNECT: a method for tunnels, whose request target is not a path. */
export function connectResponse(): Buffer {
  const problem = new Problem('bad-target', 'The request target must be a path that begins with /.');
  return answerToBytes(problemToAnswer(problem));
}

/** An answer with its content in memory as an HTTP/1.1 response that closes the connection. */
function answerToBytes({ status, headers, content }: Answer): Buffer {
  const body = Buffer.isBuffer(content?.body) ? content.body : Buffer.alloc(0);
  const all = [...headers, ...(content?.headers ?? []), 'Content-Length', String(body.length), 'Connection', 'close'];
  const lines = [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`];
  for (let i = 0; i < all.length; i += 2) lines.push(`${all[i]}: ${all[i + 1]}`);
  return Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), body]);
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
