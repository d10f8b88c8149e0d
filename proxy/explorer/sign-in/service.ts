// What the page says of its service in its first element.

/** Does the service want no token? */
export function isPublicService(): boolean {
  return document.documentElement.dataset['audience'] === 'public';
}

/** Who gives tokens in the words of the service; empty without. */
export function signInHelp(): string {
  return document.documentElement.dataset['signInHelp'] ?? '';
}

/** Who gives tokens; none in development, or where nobody needs one. */
export function issuersOfService(): string[] {
  const text = document.documentElement.dataset['issuers'] ?? '';
  return text === '' ? [] : text.split('\n');
}
