// The options of `serve`: their names, types, defaults and what --help says of them. Data only; main.ts gives it to yargs.
import { SERVE_DEFAULTS } from './settings.ts';

/** One value; of several the last one counts. */
const TEXT = { type: 'string', requiresArg: true, coerce: lastOf<string> } as const;
const NUMBER = { type: 'number', requiresArg: true, coerce: lastOf<number> } as const;
/** Any number of values, each with the option's name before it. */
const MANY = { type: 'string', array: true, nargs: 1, requiresArg: true } as const;

/** Every option of `serve`. Each may also stand in the environment: BOUNDARIES_ and its name in capitals. */
export const SERVE_FLAGS = {
  origin: { ...TEXT, default: SERVE_DEFAULTS.origin, describe: 'output folder of the generator, or URL of a copy' },
  'origin-header': { ...MANY, describe: "header that the origin's host demands: 'Name: value'" },
  host: { ...TEXT, default: SERVE_DEFAULTS.host, describe: 'address to listen on' },
  port: { ...NUMBER, default: SERVE_DEFAULTS.port, describe: 'port to listen on; 0 takes any free one' },
  'public-url': { ...TEXT, describe: 'how clients reach this service; stands in Link headers' },
  'trust-proxy': { ...MANY, describe: 'address or network of a proxy whose X-Forwarded-Host and -Proto count' },
  issuer: { ...MANY, describe: 'who must have issued a token: its iss; several, each with its --jwks, in order' },
  jwks: { ...MANY, describe: 'public keys of the issuer, a JSON Web Key Set: file, or URL of the issuer' },
  'jwks-cache': {
    ...TEXT,
    default: SERVE_DEFAULTS.jwksCache,
    describe: 'a key that was removed at a URL is refused by then',
  },
  'jwks-stale': {
    ...TEXT,
    default: SERVE_DEFAULTS.jwksStale,
    describe: 'keys are used this long without a new answer',
  },
  'jwks-cooldown': {
    ...TEXT,
    default: SERVE_DEFAULTS.jwksCooldown,
    describe: 'a URL is asked once in this time at most',
  },
  secret: { ...TEXT, describe: 'secret shared with the issuer, instead of --jwks (HS256)' },
  audience: { ...TEXT, describe: 'whom a token must be for: its aud' },
  scope: { ...TEXT, describe: 'scope that a token must have' },
  explorer: {
    type: 'boolean',
    default: SERVE_DEFAULTS.explorer,
    describe: 'a page at / to see the boundaries on; --no-explorer for none',
  },
  dev: { type: 'boolean', describe: 'make a key of our own instead; for this machine only' },
  workers: { ...NUMBER, default: SERVE_DEFAULTS.workers, describe: 'processes that answer; one that dies is replaced' },
  'stop-timeout': {
    ...TEXT,
    default: SERVE_DEFAULTS.stopTimeout,
    describe: 'time for answers under way when told to stop',
  },
  'access-log': { type: 'boolean', default: true, describe: 'a line of JSON a request on standard output' },
  'log-subject': { type: 'boolean', default: false, describe: "the access log says who asked: the token's sub" },
  'metrics-port': { ...NUMBER, describe: 'port for Prometheus: GET /metrics' },
} as const;

/**
 * The options that the environment gives. Names that are no option are somebody else's: Kubernetes makes such variables
 * for a service that is called `boundaries`, and BOUNDARIES_PORT=tcp://... is one of them.
 * @returns by option; several values of one stand on lines of their own
 */
export function flagsFrom(env: Readonly<Record<string, string | undefined>>): Record<string, string | string[]> {
  const given: Record<string, string | string[]> = {};
  for (const [name, flag] of Object.entries(SERVE_FLAGS)) {
    const value = env[`BOUNDARIES_${name.replaceAll('-', '_').toUpperCase()}`];
    if (value === undefined || value === '' || (name === 'port' && /^(tcp|udp|sctp):\/\//.test(value))) continue;
    given[name] = 'array' in flag ? value.split('\n').filter((line) => line.trim() !== '') : value;
  }
  return given;
}

function lastOf<T>(value: T | T[]): T {
  return Array.isArray(value) ? (value.at(-1) as T) : value;
}
