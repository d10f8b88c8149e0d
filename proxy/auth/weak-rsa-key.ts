// RSA keys that do not protect signatures although they are long enough. Used by key-set.ts.

/** The smallest exponent of NIST FIPS 186-5, appendix A.1.1. With exponent 1 every text is its own signature. */
const EXPONENT_MIN = 65_537n;
/**
 * The primes of the ROCA fingerprint (CVE-2017-15361; Nemec, Sys, Svenda, Klinec and Matyas: The Return of Coppersmith's
 * Attack, ACM CCS 2017, section 2.2): the affected library makes primes that are powers of 65537 modulo each of these,
 * and so is their product. Of other keys, fewer than one in 2^27 are.
 */
const ROCA_PRIMES = [
  3n,
  5n,
  7n,
  11n,
  13n,
  17n,
  19n,
  23n,
  29n,
  31n,
  37n,
  41n,
  43n,
  47n,
  53n,
  59n,
  61n,
  67n,
  71n,
  73n,
  79n,
  83n,
  89n,
  97n,
  101n,
  103n,
  107n,
  109n,
  113n,
  127n,
  131n,
  137n,
  139n,
  149n,
  151n,
  157n,
  163n,
  167n,
] as const;
const ROCA_GENERATOR = 65_537n;

/** Has this key a small or even exponent, or a modulus that ROCA factors? */
export function isWeakRsaKey(modulus: bigint, exponent: bigint): boolean {
  return exponent < EXPONENT_MIN || exponent % 2n === 0n || hasRocaFingerprint(modulus);
}

function hasRocaFingerprint(modulus: bigint): boolean {
  return ROCA_PRIMES.every((prime) => powersOf(ROCA_GENERATOR, prime).has(modulus % prime));
}

/** The powers of a number modulo a prime. */
function powersOf(generator: bigint, prime: bigint): Set<bigint> {
  const powers = new Set<bigint>();
  for (let power = 1n; !powers.has(power); power = (power * generator) % prime) powers.add(power);
  return powers;
}
