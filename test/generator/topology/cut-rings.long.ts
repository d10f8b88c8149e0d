// The cut at the antimeridian of a ring that crosses it more often than a function takes arguments.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Coordinates } from '../../../generator/rings/coordinates.ts';
import { newCutRings } from '../../../generator/topology/cut-rings.ts';

/** Teeth of a comb that reach across. */
const TEETH = 130_000;
const SCALE = 1e7;

test('a ring may cross the antimeridian 260,000 times: each tooth beyond is a part', () => {
  const ring = new Coordinates();
  ring.resize(4 * TEETH + 2);
  ring.set(0, 170 * SCALE, 0);
  for (let tooth = 0; tooth < TEETH; tooth++)
    for (const [corner, x] of [179, -179, -179, 179].entries())
      ring.set(4 * tooth + corner + 1, x * SCALE, 1000 * tooth + 500 * Math.floor(corner / 2));
  ring.set(4 * TEETH + 1, 170 * SCALE, 1000 * TEETH);
  ring.close();
  const cut = newCutRings(360 * SCALE);
  cut.add(ring, false, ring.jumps(SCALE));
  const parts = cut.end();
  assert.equal(parts.length, 1 + TEETH);
  assert.ok(parts.every(({ isHole }) => !isHole));
});
