// What a proxy holds when nobody asks it anything, and whether that becomes more in the course of a soak.
import assert from 'node:assert/strict';
import { setTimeout } from 'node:timers/promises';
import { spread } from '../bench/measure.ts';
import { send } from '../support/http/http-client.ts';
import type { Running } from '../support/processes/proxy-process.ts';

export interface Reading {
  resident: number;
  /** The heap of V8 after a garbage collection, in MB. */
  heap: number;
  descriptors: number;
}

type Grown = 'resident' | 'heap' | 'descriptors';
type Statistic = 'median' | 'greatest';

/**
 * What is compared between two thirds of a soak, and by how much it may differ: a part, and an amount. Descriptors are
 * those of one, two or three releases in memory, with about eight open files each: their greatest number counts. The
 * response cache, 32 MiB of bodies in some 2,000 entries of 1.2 kB, may still fill after the first third.
 */
const ALLOWED: Readonly<Record<Grown, { statistic: Statistic; part: number; amount: number }>> = {
  resident: { statistic: 'median', part: 0.1, amount: 20 },
  heap: { statistic: 'median', part: 0.02, amount: 1 },
  descriptors: { statistic: 'greatest', part: 0, amount: 8 },
};
/** Fewer readings in a third say nothing. */
const THIRD_MIN = 3;
const MB = 1_000_000;
const PAUSE_MS = 200;
const LOOKS_MAX = 150;

/**
 * Reads what a proxy holds as soon as its descriptors stay the same: clients have gone, but it hears of that a little
 * later.
 * @param metrics where its metrics are; it collects garbage on SIGUSR2
 */
export async function readingOf({ child }: Running, metrics: string): Promise<Reading> {
  const seen: Reading[] = [];
  const isSettled = (): boolean =>
    seen.length > 3 && seen.slice(-3).every(({ descriptors }) => descriptors === seen.at(-1)?.descriptors);
  while (!isSettled() && seen.length < LOOKS_MAX) {
    child.kill('SIGUSR2');
    await setTimeout(PAUSE_MS);
    const answer = await send({ url: metrics, takesTurns: true }, '/metrics', { authorization: undefined });
    seen.push(parseMetrics(answer.body.toString()));
  }
  return seen.at(-1) ?? assert.fail('no reading was taken');
}

function parseMetrics(text: string): Reading {
  const value = (name: string): number => Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1]);
  return {
    resident: value('process_resident_memory_bytes') / MB,
    heap: value('nodejs_heap_size_used_bytes') / MB,
    descriptors: value('process_open_fds'),
  };
}

/**
 * What has grown: the last third of the readings against the third before it. The first third is left out, in which
 * caches fill.
 * @returns undefined if there are too few readings to say
 */
export function growthIn(readings: readonly Reading[]): string[] | undefined {
  const third = Math.floor(readings.length / 3);
  if (third < THIRD_MIN) return undefined;
  return (['resident', 'heap', 'descriptors'] as const).flatMap((what) => {
    const values = readings.map((reading) => reading[what]);
    const { statistic, part, amount } = ALLOWED[what];
    const before = spread(values.slice(-2 * third, -third))[statistic];
    const after = spread(values.slice(-third))[statistic];
    // Also if a figure is not there.
    return after <= before * (1 + part) + amount ? [] : [`${what}: from ${before.toFixed(1)} to ${after.toFixed(1)}`];
  });
}
