// What becomes of errors: faults of the client are problems already, all others are logged and answered without detail.
import { FormatError } from '../format/parse.ts';
import { KeysUnavailableError } from './auth/rotating-keys.ts';
import type { Answer } from './http/answer.ts';
import { Problem, problemToAnswer } from './http/problem.ts';
import { OriginError } from './origin/origin.ts';

/**
 * The answer that an error becomes.
 * @param log takes a line about each fault that is not the client's
 */
export function errorToAnswer(error: unknown, log: (line: string) => void): Answer {
  if (error instanceof Problem) return problemToAnswer(error);
  if (error instanceof KeysUnavailableError) return problemToAnswer(keysUnavailable(error));
  log(faultToLine(error));
  return problemToAnswer(problemOf(error));
}

/** A fault of ours or of the origin as a line for the log. */
export function faultToLine(error: unknown): string {
  if (isStorageFault(error)) return error.message;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

/** Is this error about stored files? */
export function isStorageFault(error: unknown): error is OriginError | FormatError {
  return error instanceof OriginError || error instanceof FormatError;
}

function keysUnavailable({ message, retrySeconds }: KeysUnavailableError): Problem {
  return new Problem('keys-unavailable', message, { 'Retry-After': String(retrySeconds) });
}

function problemOf(error: unknown): Problem {
  if (error instanceof OriginError && error.reason === 'slow')
    return new Problem('origin-slow', 'Stored data did not arrive in time. Try again.');
  if (isStorageFault(error))
    return new Problem('origin-damaged', 'Stored data is missing or damaged. It has been logged.');
  return new Problem('internal', 'Something failed that should not. It has been logged.');
}
