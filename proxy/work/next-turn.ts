// Who goes on in the next turn of the event loop.

/** Those who wait to go on, the longest first. */
const waiting: (() => void)[] = [];

/**
 * Resolves in a turn of the event loop in which nobody else goes on: many who do something in turns, as the parts of
 * all levels that are loaded at once, make no turn longer than one of them does.
 */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    if (waiting.push(resolve) === 1) setImmediate(goOn);
  });
}

function goOn(): void {
  waiting.shift()?.();
  if (waiting.length > 0) setImmediate(goOn);
}
