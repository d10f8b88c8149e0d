// Numbers that look random and are the same in every run.

/** Draws a whole number from 0 to `below`, which is not included. */
export type Dice = (below: number) => number;

/** The generator of Park and Miller with a fixed seed. */
export function dice(seed: number): Dice {
  let state = seed;
  return (below) => {
    state = (state * 48_271) % 0x7fffffff;
    return state % below;
  };
}
