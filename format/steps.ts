// Work in steps: a generator that yields between them, so that whoever has other things to do can do them there.

/** Steps, the last of which has a result. */
export type Steps<Result> = Generator<void, Result>;

/** Runs all steps at once. */
export function resultOf<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}
