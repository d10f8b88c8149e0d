// Progress of a command: a bar with rate and time left on a terminal, a line every few seconds elsewhere.

import { printable } from '../../format/command-line/messages.ts';
import type { Phase } from './phases.ts';

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
  /** Names the phases that run now. */
  phases?: (running: readonly string[]) => void;
  /** Gets what each phase took, at the end. */
  measured?: (phases: readonly Phase[]) => void;
  end(): void;
}

/** No report. */
export const SILENT: Report = { expect() {}, advance() {}, note() {}, end() {} };

interface Count {
  done: number;
  expected: number;
  /** When counting began, in milliseconds (performance.now). */
  began: number;
}

const BAR_CHARS = 24;
const TERMINAL_EVERY_MS = 100;
const LINE_EVERY_MS = 5000;

/** What a report needs of a stream, such as standard error. */
interface Output {
  isTTY?: boolean;
  columns: number;
  write(text: string): unknown;
}

/** A report to a stream. */
export function reportTo(stream: Output): Report {
  const counts = new Map<string, Count>();
  const every = stream.isTTY ? TERMINAL_EVERY_MS : LINE_EVERY_MS;
  let shownAt = Number.NEGATIVE_INFINITY;
  let isShown = true;
  let running = '';
  const countOf = (what: string): Count => {
    const count = counts.get(what) ?? { done: 0, expected: 0, began: performance.now() };
    counts.set(what, count);
    return count;
  };
  const show = (): void => {
    const lines = [...counts].map(([what, count]) => (stream.isTTY ? barOf(what, count) : lineOf(what, count)));
    const text = `${running}${lines.join(stream.isTTY ? '   ' : ', ')}`;
    stream.write(stream.isTTY ? `\r\x1b[K${text.slice(0, stream.columns - 1)}` : `${text}\n`);
    shownAt = performance.now();
    isShown = true;
  };
  const note = (text: string): void => {
    stream.write(`${stream.isTTY ? '\r\x1b[K' : ''}${printable(text)}\n`);
  };
  return {
    expect(what, amount) {
      countOf(what).expected += amount;
    },
    advance(what, amount) {
      countOf(what).done += amount;
      isShown = false;
      if (performance.now() - shownAt >= every) show();
    },
    phases(names) {
      running = names.length === 0 ? '' : `[${names.join(', ')}] `;
    },
    note,
    preview(lines) {
      for (const line of lines) note(line);
    },
    end() {
      if (!isShown) show();
      if (stream.isTTY && counts.size > 0) stream.write('\n');
    },
  };
}

function lineOf(what: string, { done, expected }: Count): string {
  return `${what}: ${done.toLocaleString('en')} of ${expected.toLocaleString('en')}`;
}

function barOf(what: string, { done, expected, began }: Count): string {
  const share = expected === 0 ? 1 : Math.min(done / expected, 1);
  const filled = Math.round(share * BAR_CHARS);
  const bar = '█'.repeat(filled) + '░'.repeat(BAR_CHARS - filled);
  const seconds = (performance.now() - began) / 1000;
  const rate = seconds > 0 ? done / seconds : 0;
  const left = rate > 0 && done < expected ? `, ${Math.ceil((expected - done) / rate)} s left` : '';
  return `${what} ${bar} ${Math.round(share * 100)} % ${Math.round(rate).toLocaleString('en')}/s${left}`;
}
