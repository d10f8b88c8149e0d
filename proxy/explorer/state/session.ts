// The token: in this page's memory, and in sessionStorage only if the user asks to keep it.

const KEY = 'boundaries-token';

/** The token of this page. */
export class Session {
  /** Empty while signed out. */
  token = '';
  /** Is the token kept until the tab is closed? */
  isKept = false;

  /** Takes the token of an earlier page of this tab, if it was kept. */
  restore() {
    this.token = stored(() => sessionStorage.getItem(KEY)) ?? '';
    this.isKept = this.token !== '';
  }

  /** @param isKept until the tab is closed */
  open(token: string, isKept: boolean) {
    this.token = token;
    this.isKept = isKept;
    stored(() => (isKept ? sessionStorage.setItem(KEY, token) : sessionStorage.removeItem(KEY)));
  }

  close() {
    this.open('', false);
  }
}

/**
 * Can a header carry a token? Its characters are those of ASCII that are visible (RFC 6750 section 2.1 permits fewer),
 * and the service takes no more than 8,192 of them.
 */
export function isToken(token: string) {
  return /^[\x21-\x7e]{1,8192}$/.test(token);
}

/** A browser that blocks storage throws. */
function stored<Value>(use: () => Value) {
  try {
    return use();
  } catch {
    return undefined;
  }
}
