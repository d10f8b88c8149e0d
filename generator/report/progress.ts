// Progress of a command: a bar with rate and time left on a terminal, a line every ten seconds elsewhere.

import { printable } from '../../format/command-line/messages.ts';
import type { Phase, RunningPhase } from './phases.ts';

/** Counts of work by name: announced, then done. */
export interface Report {
  /** Adds `amount` to the expected total of `what`. */
  expect(what: string, amount: number): void;
  /** Adds `amount` to what is done of `what`. */
  advance(what: string, amount: number): void;
  /** Shows a line of text. */
  note(text: string): void;
  /** Shows what is going to be read or published, in lines by which a mistake is seen before the end. */
  preview?: (lines: readonly string[]) => void;
  /** Gets the phases that run now. */
  phases?: (running: readonly RunningPhase[]) => void;
  /** Gets what each phase took, at the end. */
  measured?: (phases: readonly Phase[]) => void;
  end(): void;
}

/** No report. */
export const SILENT: Report = { expect() {}, advance() {}, note() {}, end() {} };

interface Count {
  done: number;
  expected: number;
  /** When counting began, in milliseconds of the clock of the report. */
  began: number;
}

const BAR_CHARS = 24;
const TERMINAL_EVERY_MS = 100;
const LINE_EVERY_MS = 10_000;
/** A phase may go on for minutes without anything to count: so often it is looked whether a line is due. */
const LOOK_EVERY_MS = 1000;

/** What a report needs of a stream, such as standard error. */
interface Output {
  isTTY?: boolean;
  columns: number;
  write(text: string): unknown;
}

/**
 * A report to a stream. While something is done it shows the phases and what is not finished, at its end all counts.
 * @param now milliseconds of a clock that nobody sets
 */
export function reportTo(stream: Output, now: () => number = () => performance.now()): Report {
  const counts = new Map<string, Count>();
  const every = stream.isTTY ? TERMINAL_EVERY_MS : LINE_EVERY_MS;
  let shownAt = now();
  let running: readonly RunningPhase[] = [];
  let look: NodeJS.Timeout | undefined;
  const countOf = (what: string): Count => {
    const count = counts.get(what) ?? { done: 0, expected: 0, began: now() };
    counts.set(what, count);
    return count;
  };
  const show = (texts: readonly string[]): void => {
    shownAt = now();
    if (texts.length === 0) return;
    const text = texts.join(stream.isTTY ? '   ' : ', ');
    stream.write(stream.isTTY ? `\r\x1b[K${text.slice(0, stream.columns - 1)}` : `${text}\n`);
  };
  const textsOf = (shown: Iterable<[string, Count]>): string[] =>
    [...shown].map(([what, count]) => (stream.isTTY ? barOf(what, count, now() - count.began) : lineOf(what, count)));
  const showIfDue = (): void => {
    look ??= setInterval(showIfDue, LOOK_EVERY_MS).unref();
    if (now() - shownAt < every) return;
    const unfinished = [...counts].filter(([, { done, expected }]) => done < expected);
    show([...running.map(phaseText), ...textsOf(unfinished)]);
  };
  const note = (text: string): void => {
    stream.write(`${stream.isTTY ? '\r\x1b[K' : ''}${printable(text)}\n`);
  };
  return {
    expect(what, amount) {
      countOf(what).expected += amount;
      showIfDue();
    },
    advance(what, amount) {
      countOf(what).done += amount;
      showIfDue();
    },
    phases(all) {
      running = all;
      showIfDue();
    },
    note,
    preview(lines) {
      for (const line of lines) note(line);
    },
    end() {
      clearInterval(look);
      show(textsOf(counts));
      if (stream.isTTY && counts.size > 0) stream.write('\n');
    },
  };
}

function phaseText({ phase, done, expected }: RunningPhase): string {
  return `${phase}: ${done.toLocaleString('en')} of ${expected.toLocaleString('en')} tasks`;
}

function lineOf(what: string, { done, expected }: Count): string {
  return `${what}: ${done.toLocaleString('en')} of ${expected.toLocaleString('en')}`;
}

/** @param ms since its counting began */
function barOf(what: string, { done, expected }: Count, ms: number): string {
  const share = expected === 0 ? 1 : Math.min(done / expected, 1);
  const filled = Math.round(share * BAR_CHARS);
  const bar = '█'.repeat(filled) + '░'.repeat(BAR_CHARS - filled);
  const rate = ms > 0 ? (1000 * done) / ms : 0;
  const left = rate > 0 && done < expected ? `, ${Math.ceil((expected - done) / rate)} s left` : '';
  return `${what} ${bar} ${Math.round(share * 100)} % ${Math.round(rate).toLocaleString('en')}/s${left}`;
}
