// Reads bodies over HTTP from hosts that may fall silent, or send without end.

/** What ends requests when nothing comes. */
export interface Patience {
  signal: AbortSignal;
  /** To be called whenever something has come. */
  onPiece: () => void;
}

/** Does some requests, of which one is ended when nothing has come of it for long. */
export async function withPatience<Result>(
  idleMs: number,
  work: (patience: Patience) => Promise<Result>,
): Promise<Result> {
  const silence = new AbortController();
  const timer = setTimeout(() => silence.abort(new Error(`nothing came for ${idleMs / 1000} s`)), idleMs);
  try {
    return await work({ signal: silence.signal, onPiece: () => timer.refresh() });
  } finally {
    clearTimeout(timer);
    // What is left of a body, or of an answer that was refused, is not wanted.
    silence.abort();
  }
}

/**
 * The body of an answer, piece by piece.
 * @param most bytes that it may have
 * @param errors for a body that is longer, and one that breaks off
 */
export async function* piecesOf(
  { body }: Response,
  onPiece: () => void,
  most: number,
  errors: { tooLong(): Error; unreachable(error: unknown): never },
): AsyncGenerator<Uint8Array> {
  if (body === null) return;
  let bytes = 0;
  const reader = body.getReader();
  try {
    for (;;) {
      const { value, done } = await reader.read().catch(errors.unreachable);
      if (done) return;
      onPiece();
      bytes += value.length;
      if (bytes > most) throw errors.tooLong();
      yield value;
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}
