// What a search has to do, counted: levels of many units that a text finds, and how often it looks at them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Level } from '../../../../format/levels.ts';
import { Positions } from '../../../../format/positions.ts';
import { resultOf } from '../../../../format/steps.ts';
import { Words } from '../../../../format/words.ts';
import { gidColumn } from '../../../../format/write/gid-column.ts';
import { findingUnits } from '../../../../proxy/features/search/find-units.ts';
import { LevelParents } from '../../../../proxy/features/search/level-parents.ts';
import { findingInParents, type InnerLevel } from '../../../../proxy/features/search/parent-words.ts';

const UNITS = 50_000;
/** Units that are looked at in a step, at most. */
const STEP_UNITS = 16 * 1024;
const DIGITS = 6;

/** Counts how often the unit of a name is looked up. */
class CountedWords extends Words {
  lookUps = 0;

  override unitOf(name: number): number {
    this.lookUps++;
    return super.unitOf(name);
  }
}

/** Counts how often its runs are looked at. */
class CountedPositions extends Positions {
  looks = 0;

  override firstOf(run: number): number {
    this.looks++;
    return super.firstOf(run);
  }
}

/**
 * The words of units of one name each.
 * @param lines the folded names, ascending, each as long as the others
 * @param words where the words begin in a name, in the order of their keys
 */
function wordsOf(lines: readonly string[], words: readonly number[]): CountedWords {
  const [units, length] = [lines.length, (lines[0]?.length ?? 0) + 1];
  const keys = words.flatMap((begin) => lines.map((_, name) => ({ name, begin })));
  const arrays = {
    start: Uint32Array.from({ length: units + 1 }, (_, name) => name * length),
    unit: Uint32Array.from(lines.keys()),
    key: Uint32Array.from(keys, ({ name, begin }) => name * length + begin),
    name: Uint32Array.from(keys, ({ name }) => name),
    text: Buffer.from(lines.map((line) => `${line}\n`).join('')),
  };
  const last = new Map<number, number>();
  const earlier = Uint32Array.from(keys, ({ name }, key) => {
    const before = last.get(name) ?? 0;
    last.set(name, key + 1);
    return before;
  });
  return new CountedWords(arrays, earlier);
}

/** A level whose units are all of one name, have one GID, and lie in all levels above. */
function levelOf(level: Level, name: string): InnerLevel & { words: CountedWords } {
  const owners = new Int32Array(UNITS);
  const columns = Array.from({ length: level + 1 }, (_, above) => gidColumn(`GID_${above}`, [`A${above}`], owners));
  const index = { level, columns, features: UNITS };
  const begins = [...name.matchAll(/[^ ]+/g)].map(({ index }) => index).reverse();
  return {
    index,
    words: wordsOf(Array(UNITS).fill(name), begins),
    gids: { numbers: owners, gidAt: () => `A${level}` },
    parents: new LevelParents(index),
    isAllowed: undefined,
  };
}

test('what is asked of parents is found once, however many units and words there are, and some in each step', () => {
  const [above, level] = [levelOf(0, 'u'), levelOf(1, 'u u u u u')];
  const search = findingInParents('u u u u u u u u u', [level], [above, level], 20);
  let most = 0;
  for (let before = 0; ; ) {
    const step = search.next();
    const lookUps = above.words.lookUps + level.words.lookUps;
    most = Math.max(most, lookUps - before);
    before = lookUps;
    if (!step.done) continue;
    assert.deepEqual([step.value.matched, step.value.units.length], [UNITS, 20]);
    break;
  }
  assert.ok(most <= 2 * STEP_UNITS, `${most} units in a step`);
  assert.ok(above.words.lookUps <= UNITS, `${above.words.lookUps} look-ups of ${UNITS} parents`);
  assert.ok(level.words.lookUps <= 2 * UNITS, `${level.words.lookUps} look-ups of ${UNITS} units`);
});

test('names that descend while words in them ascend are looked at once', () => {
  const numbers = Array.from({ length: UNITS }, (_, i) => String(i).padStart(DIGITS, '0'));
  const lines = numbers.map((number, i) => `${number} k${numbers[UNITS - 1 - i]}`);
  const words = wordsOf(lines, [0, DIGITS + 1]);
  const { name, key } = words.arrays;
  // Keys of the words inside ascend by these.
  name.subarray(UNITS).reverse();
  key.subarray(UNITS).reverse();
  const result = resultOf(findingUnits('k', [{ words, isAllowed: undefined }], 100));
  assert.deepEqual(
    result.units.map(({ position }) => position),
    Array.from({ length: 100 }, (_, i) => i),
  );
  assert.equal(result.matched, UNITS);
  assert.ok(words.lookUps < 3 * UNITS, `${words.lookUps} look-ups of ${UNITS} names`);
});

test('of the units that have a GID or a code only those are looked at that an answer brings', () => {
  const every = Uint32Array.from({ length: UNITS }, (_, rank) => rank);
  const words = wordsOf([], []);
  for (const has of ['identified', 'coded']) {
    const found = new CountedPositions(
      every.map((rank) => 2 * rank),
      every,
      0,
      UNITS,
      UNITS,
    );
    const result = resultOf(findingUnits('A', [{ words, isAllowed: undefined, [has]: found }], 100));
    assert.deepEqual([result.matched, result.units.length, result.units.at(-1)?.position], [UNITS, 100, 198]);
    assert.ok(found.looks < 200, `${found.looks} looks at ${UNITS} runs of ${has}`);
  }
});
