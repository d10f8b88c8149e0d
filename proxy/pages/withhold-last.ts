// Streams that are verified while they are sent: the last chunk leaves only after the check of all of them, so that a
// damaged body is never complete.

/**
 * The chunks of a stream, the last one after `check` has returned.
 * @param onChunk receives each chunk before the next one is read
 * @param check is called after the last chunk was received; throws if they are not what they should be
 */
export async function* withholdLast(
  chunks: AsyncIterable<Buffer>,
  onChunk: (chunk: Buffer) => void,
  check: () => void,
): AsyncGenerator<Buffer, void, undefined> {
  let withheld: Buffer | undefined;
  for await (const chunk of chunks) {
    if (withheld !== undefined) yield withheld;
    onChunk(chunk);
    withheld = chunk;
  }
  check();
  if (withheld !== undefined) yield withheld;
}
