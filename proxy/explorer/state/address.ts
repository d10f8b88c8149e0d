// The page's address: the place in its fragment, and the token that a link may bring.

/** Between two writes that replace the address, in milliseconds: Safari throws after 100 in 30 seconds. */
const WRITE_MS = 500;

let writtenAt = Number.NEGATIVE_INFINITY;
/** A place of the entry that is shown, which waits to be written. */
let waiting: { hash: string; timer: ReturnType<typeof setTimeout> } | undefined;

/**
 * The token of `#token=...`, which leaves the address at once, so that a copied address does not have it. The browser
 * keeps the link in its history on disk all the same: only development tokens of one machine come in links.
 * @returns empty for a token that cannot be decoded; undefined without one
 */
export function takeToken(): string | undefined {
  const [, encoded] = /^#token=([^&]*)/.exec(location.hash) ?? [];
  if (encoded === undefined) return undefined;
  history.replaceState(null, '', addressOf(''));
  try {
    return decodeURIComponent(encoded);
  } catch {
    return '';
  }
}

/** Puts a place into the address: as an entry of its own, or soon into the one that is shown. */
export function writeHash(hash: string, how: 'push' | 'replace'): void {
  if (how === 'push') {
    settleAddress();
    if (location.hash !== hash) history.pushState(null, '', addressOf(hash));
    return;
  }
  dropAddress();
  if (location.hash === hash) return;
  waiting = { hash, timer: setTimeout(settleAddress, writtenAt + WRITE_MS - performance.now()) };
  if (performance.now() >= writtenAt + WRITE_MS) settleAddress();
}

/** Writes what waits. */
export function settleAddress(): void {
  const { hash } = waiting ?? {};
  dropAddress();
  if (hash === undefined) return;
  history.replaceState(null, '', addressOf(hash));
  writtenAt = performance.now();
}

/** Forgets what waits: another entry is shown. */
export function dropAddress(): void {
  clearTimeout(waiting?.timer);
  waiting = undefined;
}

/** The address of what is shown. */
export function shownAddress(): string {
  settleAddress();
  return location.href;
}

function addressOf(hash: string): string {
  return `${location.pathname}${location.search}${hash}`;
}
