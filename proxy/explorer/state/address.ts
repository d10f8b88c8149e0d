// The page's address: the place in its fragment, and the token that a link may bring.

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

/** Puts a place into the address. */
export function writeHash(hash: string, how: 'push' | 'replace') {
  if (location.hash === hash) return;
  if (how === 'push') history.pushState(null, '', addressOf(hash));
  else history.replaceState(null, '', addressOf(hash));
}

function addressOf(hash: string) {
  return `${location.pathname}${location.search}${hash}`;
}
