// Which content coding a client wants (RFC 9110 section 12.5.3). There are two: pages are stored gzipped, and plain text.

/** `identity` is plain text. */
export type Coding = 'gzip' | 'identity';

/** What was found for the values that came lately: clients send few different ones. */
const known = new Map<string, Coding>();
const KNOWN_MAX = 64;

/**
 * The coding to answer with: the one with the higher weight, gzip when equal.
 * @param accept the value of Accept-Encoding, undefined when absent
 */
export function codingFor(accept: string | undefined): Coding {
  if (accept === undefined) return 'identity';
  let coding = known.get(accept);
  if (coding !== undefined) return coding;
  coding = preferredIn(accept);
  if (known.size >= KNOWN_MAX) known.clear();
  known.set(accept, coding);
  return coding;
}

function preferredIn(accept: string): Coding {
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
