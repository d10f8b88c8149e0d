// Errors become answers: a Problem as it is; every other error is logged, and its answer has no details.
import { FormatError } from '../../format/parse.ts';
import { overloaded, Problem } from '../http/problem.ts';
import { OriginError } from '../origin/origin.ts';
import type { Answer } from './answer.ts';
import { problemToAnswer } from './answer.ts';

/**
 * The answer for an error.
 * @param log receives a line for each error that the client did not cause
 */
export function errorToAnswer(error: unknown, log: (line: string) => void): Answer {
  if (error instanceof Problem) return problemToAnswer(error);
  log(errorToLogLine(error));
  return problemToAnswer(unexpectedErrorToProblem(error));
}

/** An error of the origin as its message; an unexpected error with its stack. */
export function errorToLogLine(error: unknown): string {
  if (isStorageError(error)) return error.message;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

/** Is a stored file the cause of this error? */
export function isStorageError(error: unknown): error is OriginError | FormatError {
  return error instanceof OriginError || error instanceof FormatError;
}

function unexpectedErrorToProblem(error: unknown): Problem {
  if (error instanceof OriginError && error.reason === 'slow')
    return new Problem('origin-slow', 'Stored data did not arrive in time. Try again.');
  if (error instanceof OriginError && error.reason === 'busy') return overloaded();
  if (isStorageError(error))
    return new Problem('origin-damaged', 'Stored data is missing or damaged. The error has been logged.');
  return new Problem('internal', 'An unexpected error occurred. It has been logged.');
}
