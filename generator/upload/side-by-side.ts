// Work on many files, side by side with a limit. Unlike p-limit's map it holds no promise for each of half a million
// files, and begins nothing more after an error. Used by upload.ts.

/**
 * Runs `work` on every item, at most `limit` at a time.
 * @throws the first error of `work`, after the others that had begun have ended
 */
export async function sideBySide<Item>(
  items: Iterable<Item>,
  limit: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const rest = items[Symbol.iterator]();
  let failure: { error: unknown } | undefined;
  const run = async (): Promise<void> => {
    while (failure === undefined) {
      const next = rest.next();
      if (next.done) return;
      try {
        await work(next.value);
      } catch (error) {
        failure ??= { error };
      }
    }
  };
  await Promise.all(Array.from({ length: limit }, run));
  if (failure !== undefined) throw failure.error;
}
