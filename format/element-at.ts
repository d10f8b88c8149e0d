// Indexing that throws instead of returning undefined: a missing element is a defect and must not pass as 0 or ''.

/** The element at `index`. @throws RangeError if there is none */
export function elementAt<T>(list: ArrayLike<T>, index: number): T {
  const element = list[index];
  if (element === undefined) throw new RangeError(`index ${index} of ${list.length}`);
  return element;
}

// The same for one kind of array each: V8 optimises a function for the kinds that it is called with, and look-ups in
// the arrays of an index are on the path of every request.

/** @throws RangeError if there is none */
export function numberAt(list: readonly number[], index: number): number {
  const element = list[index];
  if (element === undefined) throw new RangeError(`index ${index} of ${list.length}`);
  return element;
}

/** @throws RangeError if there is none */
export function u8At(array: Uint8Array, index: number): number {
  const element = array[index];
  if (element === undefined) throw new RangeError(`index ${index} of ${array.length}`);
  return element;
}

/** @throws RangeError if there is none */
export function u32At(array: Uint32Array, index: number): number {
  const element = array[index];
  if (element === undefined) throw new RangeError(`index ${index} of ${array.length}`);
  return element;
}

/** @throws RangeError if there is none */
export function f64At(array: Float64Array, index: number): number {
  const element = array[index];
  if (element === undefined) throw new RangeError(`index ${index} of ${array.length}`);
  return element;
}

/** @throws RangeError if there is none */
export function i32At(array: Int32Array, index: number): number {
  const element = array[index];
  if (element === undefined) throw new RangeError(`index ${index} of ${array.length}`);
  return element;
}
