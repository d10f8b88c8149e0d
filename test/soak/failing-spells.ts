// A static host that fails for a while now and then, in many ways: what the proxy answers meanwhile is excused, unless
// it looks right and is not.
import { readFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import type { Dice } from '../support/dice.ts';
import { partOf, type RunningHost, writePartHead } from '../support/http/static-host.ts';

/** One in this many requests fails during a spell. */
const FAILS_EVERY = 3;
/** The proxy waits ten seconds for a silent host, and five before it reads metadata again. */
const AFTERMATH_MS = 20_000;

/** Answers a request for a file with these bytes, or for a range of it. */
type Failure = (res: ServerResponse, bytes: Buffer, range: string | undefined) => void;

/** Of any file. */
const FAILURES: readonly Failure[] = [
  (res) => res.writeHead(503).end('<h1>busy</h1>'),
  (res) => res.writeHead(404).end('<h1>Not Found</h1>'),
  (res) => res.destroy(),
  (res, bytes) => {
    res.writeHead(200, { 'Content-Length': String(bytes.length) });
    res.write(bytes.subarray(0, bytes.length / 2), () => res.destroy());
  },
  // Silent until the proxy gives up.
  () => {},
];
/** Of pages and features: wrong bytes of metadata are remembered for half a minute. */
const WRONG_BYTES: readonly Failure[] = [
  (res, bytes, range) => {
    const part = partOf(bytes, range);
    const at = part.length >> 1;
    part[at] = (part[at] ?? 0) ^ 0x20;
    writePartHead(res, part, range).end(part);
  },
];

/** The spells of a host. */
export class FailingSpells {
  readonly #host: RunningHost;
  readonly #random: Dice;
  #lastFailure = Number.NEGATIVE_INFINITY;
  failures = 0;

  constructor(host: RunningHost, random: Dice) {
    this.#host = host;
    this.#random = random;
  }

  begin(): void {
    this.#host.fault = ({ headers: { range } }, res, file) => {
      if (this.#random(FAILS_EVERY) > 0) return false;
      const bytes = contentOf(file);
      if (bytes === undefined) return false;
      const failures = file.endsWith('.gz') ? [...FAILURES, ...WRONG_BYTES] : FAILURES;
      this.#lastFailure = performance.now();
      this.failures++;
      failures[this.#random(failures.length)]?.(res, bytes, range);
      return true;
    };
  }

  end(): void {
    this.#host.fault = undefined;
  }

  /** May a request have failed because the host did? @param begun when it was sent */
  mayExplain(begun: number): boolean {
    return this.#lastFailure >= begun - AFTERMATH_MS;
  }
}

/** Undefined where there is no such file: that of a release which was just removed. */
function contentOf(file: string): Buffer | undefined {
  try {
    return readFileSync(file);
  } catch {
    return undefined;
  }
}
