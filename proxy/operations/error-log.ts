// The log of errors that no client should see: one that comes again and again, as from a request that somebody repeats,
// has a line a second with how often, and does not fill the disk.
import { isStorageError } from '../bodies/answer.ts';
import type { Time } from '../http/time.ts';

const SECOND_MS = 1000;
/** Places with lines of their own in a second: a folder that was removed has as many as it has files. */
const PLACES_MAX = 16;
/** All others share these lines. */
const OTHERS = '';
/** The message of an error may have a whole request in it. */
const LINE_MAX_CHARS = 4000;

/** What has been met at a place since its last line. */
interface Second {
  /** The last error. */
  line: string;
  times: number;
  /** Milliseconds on the clock. */
  until: number;
}

/**
 * What logs errors: the first one of a place at once, those of the second after that together.
 * @param log receives a line, of an unexpected error with its stack
 */
export function errorLog(log: (line: string) => void, time: Time): (error: unknown) => void {
  const seconds = new Map<string, Second>();
  const write = (place: string, line: string, times: number): void => {
    log(times === 1 ? line : `${times.toLocaleString('en')} times since the last line: ${line}`);
    const second = { line, times: 0, until: time.now() + SECOND_MS };
    seconds.set(place, second);
    time.after(SECOND_MS, () => {
      if (seconds.get(place) !== second) return;
      if (second.times > 0) write(place, second.line, second.times);
      else seconds.delete(place);
    });
  };
  return (error) => {
    const line = lineOf(error).slice(0, LINE_MAX_CHARS);
    const now = time.now();
    // Where timers do not run, as between the requests of a Worker.
    if (seconds.size >= PLACES_MAX) for (const [place, { until }] of seconds) if (now >= until) seconds.delete(place);
    const own = placeOf(error, line);
    const place = seconds.has(own) || seconds.size < PLACES_MAX ? own : OTHERS;
    const second = seconds.get(place);
    if (second === undefined || now >= second.until) write(place, line, 1 + (second?.times ?? 0));
    else Object.assign(second, { line, times: second.times + 1 });
  };
}

/** An error of the origin as its message; an unexpected error with its stack. */
function lineOf(error: unknown): string {
  if (isStorageError(error)) return error.message;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

/** A call in a file of ours, as a stack has it. */
const CALL = /^ {4}at (?!.*(?:node:|<anonymous>)).*$/m;

/** A stored file; of an unexpected error the last call of ours, as the message may be another one each time. */
function placeOf(error: unknown, line: string): string {
  return isStorageError(error) ? line : (CALL.exec(line)?.[0] ?? line);
}
