// Indexing that throws instead of returning undefined: a missing element is a defect and must not pass as 0 or ''.

/** The element at `index`. @throws RangeError if there is none */
export function elementAt<T>(list: ArrayLike<T>, index: number): T {
  const element = list[index];
  if (element === undefined) throw new RangeError(`index ${index} of ${list.length}`);
  return element;
}

/**
 * The same for plain arrays of numbers. A separate function, because V8 optimises a function for the kinds of arrays that
 * it is called with: loops over runs are on the path of every request.
 */
export function numberAt(list: readonly number[], index: number): number {
  const element = list[index];
  if (element === undefined) throw new RangeError(`index ${index} of ${list.length}`);
  return element;
}
