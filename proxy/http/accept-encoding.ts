// Content negotiation by Accept-Encoding (RFC 9110 section 12.5.3). Bodies are available as gzip and as plain text.

/** `identity` is plain text. */
export type Coding = 'gzip' | 'identity';

/**
 * The content coding of the response: the one with the higher weight, gzip if equal.
 * @param accept the value of Accept-Encoding, undefined if absent
 */
export function codingFor(accept: string | undefined): Coding {
  // The common values of browsers, curl and HTTP libraries.
  if (accept === undefined) return 'identity';
  if (accept.startsWith('gzip') && /^gzip(, (deflate|br|zstd))*$/.test(accept)) return 'gzip';
  const weights = new Map<string, number>();
  for (const item of accept.split(',')) {
    const end = item.indexOf(';');
    const coding = (end === -1 ? item : item.slice(0, end)).trim().toLowerCase();
    const parameters = end === -1 ? [] : item.slice(end + 1).split(';');
    // x-gzip is an older name of gzip (RFC 9110 section 8.4.1.3).
    weights.set(coding === 'x-gzip' ? 'gzip' : coding, weightOf(parameters));
  }
  const gzip = weights.get('gzip') ?? weights.get('*') ?? 0;
  // identity is acceptable even if it is not listed, but less preferred than a listed coding.
  const identity = weights.get('identity') ?? 0;
  return gzip > 0 && gzip >= identity ? 'gzip' : 'identity';
}

/** The weight (`q`) among the parameters of an item: 1 if absent, 0 if it is not a number from 0 to 1. */
function weightOf(parameters: readonly string[]): number {
  const weight = parameters.map((parameter) => parameter.trim().toLowerCase()).find((text) => text.startsWith('q='));
  if (weight === undefined) return 1;
  const value = Number(weight.slice('q='.length).trim() || Number.NaN);
  return value >= 0 && value <= 1 ? value : 0;
}
