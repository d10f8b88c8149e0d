// Requests that node:http cannot parse or does not pass on: they never reach `handle`, but get a problem response too.
import { STATUS_CODES } from 'node:http';
import type { Answer } from '../bodies/answer.ts';
import { problemToAnswer } from '../bodies/answer.ts';
import { Problem } from '../http/problem.ts';

/** The error of a `clientError` event of node:http. */
export interface ParserError extends Error {
  code?: string;
}

/** Limit of the parser of node:http for request line and headers; request.ts has precise limits below it. */
export const PARSER_MAX_BYTES: number = 64 * 1024;

/** Did the request not arrive in time? */
export function isTimeout({ code }: ParserError): boolean {
  return code === 'ERR_HTTP_REQUEST_TIMEOUT';
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

/** An answer with its body in memory as an HTTP/1.1 response that closes the connection. */
function answerToBytes({ status, headers, body }: Answer): Buffer {
  const all = [...headers, 'Connection', 'close'];
  const lines = [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`];
  for (let i = 0; i < all.length; i += 2) lines.push(`${all[i]}: ${all[i + 1]}`);
  const head = Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1');
  return Buffer.isBuffer(body) ? Buffer.concat([head, body]) : head;
}

function parserErrorToProblem({ code }: ParserError): Problem {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return new Problem(
        'headers-too-large',
        `The request line and headers are larger than ${PARSER_MAX_BYTES} bytes.`,
      );
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new Problem('request-timeout', 'The request did not arrive in time.');
    default:
      return new Problem('malformed-request', 'The request could not be parsed as HTTP/1.1.');
  }
}
