// A static host that fails for a while now and then, in many ways: what the proxy answers meanwhile is excused, unless
// it looks right and is not.
import { existsSync } from 'node:fs';
import { elementAt } from '../../format/element-at.ts';
import { HOST_FAULTS } from '../origin/host-faults.ts';
import type { Dice } from '../support/dice.ts';
import type { RunningHost } from '../support/http/static-host.ts';

/** One in this many requests fails during a spell. */
const FAILS_EVERY = 3;
/** The proxy waits ten seconds for a silent host, and five before it reads metadata again. */
const AFTERMATH_MS = 20_000;
/** All of them but the one that takes the bytes of another level, which need not have as many files. */
const FAULTS_OF_FILES = HOST_FAULTS.filter(({ what }) => what !== 'another page');
/** Of metadata, of which wrong bytes would be remembered for half a minute. */
const NO_BYTES: ReadonlySet<string> = new Set(['404', '503', 'a closed connection', 'cut half-way', 'no answer']);
const FAULTS_OF_METADATA = HOST_FAULTS.filter(({ what }) => NO_BYTES.has(what));

export function failingSpells(host: RunningHost, random: Dice) {
  let lastFailure = Number.NEGATIVE_INFINITY;
  return {
    failures: 0,
    begin(): void {
      host.fault = ({ headers: { range } }, res, file) => {
        // A release that was just removed has no files.
        if (random(FAILS_EVERY) > 0 || !existsSync(file)) return false;
        const faults = file.endsWith('.gz') ? FAULTS_OF_FILES : FAULTS_OF_METADATA;
        lastFailure = performance.now();
        this.failures++;
        elementAt(faults, random(faults.length)).fail(res, file, range);
        return true;
      };
    },
    end(): void {
      host.fault = undefined;
    },
    /** May a request have failed because the host did? @param begun when it was sent */
    mayExplain: (begun: number): boolean => lastFailure >= begun - AFTERMATH_MS,
  };
}
