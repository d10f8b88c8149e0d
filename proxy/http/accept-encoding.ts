// Which content coding a client wants (RFC 9110 section 12.5.3). There are two: pages are stored gzipped, and plain text.

/** `identity` is plain text. */
export type Coding = 'gzip' | 'identity';

/**
 * The coding to answer with: the one with the higher weight, gzip when equal.
 * @param accept the value of Accept-Encoding, undefined when absent
 */
export function codingFor(accept: string | undefined): Coding {
  // The commonest values, which browsers, curl and libraries send.
  if (accept === undefined) return 'identity';
  if (accept.startsWith('gzip') && /^gzip(, (deflate|br|zstd))*$/.test(accept)) return 'gzip';
  const weights = new Map<string, number>();
  for (const item of accept.split(',')) {
    const [name = '', ...parameters] = item.split(';');
    const coding = name.trim().toLowerCase();
    // x-gzip is gzip by an older name (RFC 9110 section 8.4.1.3).
    weights.set(coding === 'x-gzip' ? 'gzip' : coding, weightOf(parameters));
  }
  const gzip = weights.get('gzip') ?? weights.get('*') ?? 0;
  // A client that does not name identity takes it, but would rather have what it names.
  const identity = weights.get('identity') ?? 0;
  return gzip > 0 && gzip >= identity ? 'gzip' : 'identity';
}

/** The weight among an item's parameters: 1 when there is none, 0 when it is not a number from 0 to 1. */
function weightOf(parameters: readonly string[]): number {
  const weight = parameters.map((parameter) => parameter.trim().toLowerCase()).find((text) => text.startsWith('q='));
  if (weight === undefined) return 1;
  const value = Number(weight.slice('q='.length).trim() || Number.NaN);
  return value >= 0 && value <= 1 ? value : 0;
}
