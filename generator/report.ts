// What a build tells while it runs: a line that is rewritten on a terminal, one line a step elsewhere.

/** Counts of work by name: announced, then done. */
export interface Report {
  /** Announces `amount` more of `what`. */
  expect(what: string, amount: number): void;
  /** Tells that `amount` more of `what` is done. */
  advance(what: string, amount: number): void;
  end(): void;
}

/** A report to a stream, usually standard error. */
export function reportTo(stream: NodeJS.WriteStream): Report {
  const counts = new Map<string, { done: number; expected: number }>();
  const countOf = (what: string): { done: number; expected: number } => {
    const count = counts.get(what) ?? { done: 0, expected: 0 };
    counts.set(what, count);
    return count;
  };
  const line = (): string =>
    [...counts]
      .map(([what, { done, expected }]) => `${what} ${done.toLocaleString('en')} of ${expected.toLocaleString('en')}`)
      .join(', ');
  return {
    expect(what, amount) {
      countOf(what).expected += amount;
    },
    advance(what, amount) {
      countOf(what).done += amount;
      stream.write(stream.isTTY ? `\r\x1b[K${line()}` : `${line()}\n`);
    },
    end() {
      if (stream.isTTY && counts.size > 0) stream.write('\n');
    },
  };
}
