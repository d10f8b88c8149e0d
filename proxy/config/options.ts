// The options of `serve`: name, type, default and help text, declared once. Data only: main.ts passes the table to
// yargs, settings.ts takes the defaults from it, and the types of `createServer` follow from it.
import { OptionError } from './start-error.ts';

const TEXT = { type: 'string', requiresArg: true } as const;
const NUMBER = { type: 'number', requiresArg: true } as const;
/** Repeatable: one value after each occurrence of the option's name. */
const LIST = { type: 'string', array: true, nargs: 1, requiresArg: true } as const;
const FLAG = { type: 'boolean' } as const;

/** Every option of `serve`. Each can also be set in the environment: BOUNDARIES_ and its name in capitals. */
export const SERVE_OPTIONS = {
  origin: {
    ...TEXT,
    default: 'output',
    describe: 'output folder of the generator, URL of a copy on a static host, or s3://bucket/prefix',
  },
  'origin-header': { ...LIST, describe: "request header for the static host, 'Name: value'; repeatable" },
  'trusted-key': {
    ...LIST,
    describe: 'public Ed25519 key (PEM): serve only releases that are signed with one of these keys; repeatable',
  },
  'allow-rollback': { ...FLAG, describe: 'with --trusted-key: serve a release that is older than the one before it' },
  's3-endpoint': { ...TEXT, describe: 'endpoint URL of the bucket (default: AWS)' },
  host: { ...TEXT, default: '127.0.0.1', describe: 'address to listen on' },
  port: { ...NUMBER, default: 8080, describe: 'port to listen on; 0 selects a free port' },
  title: { ...TEXT, describe: 'name of the service in the explorer, /docs, OpenAPI and the OGC landing page' },
  'sign-in-help': {
    ...TEXT,
    describe: 'a sentence for the explorer that says where to get a token; addresses in it become links',
  },
  'public-url': { ...TEXT, describe: 'base URL of the service in Link headers; by default that of the request' },
  'trust-proxy': {
    ...LIST,
    describe:
      'address or network of a reverse proxy whose X-Forwarded-Host, X-Forwarded-Proto, X-Forwarded-For and X-Request-Id are used; repeatable',
  },
  'forwarded-host': {
    ...FLAG,
    describe:
      'with --public: also use X-Forwarded-Host and X-Forwarded-Proto of --trust-proxy, which must replace those that clients send',
  },
  issuer: { ...LIST, describe: 'accepted token issuer (iss); repeatable, each with its own --jwks in the same order' },
  jwks: {
    ...LIST,
    describe: "file or https URL of the issuer's public keys, a JSON Web Key Set (EdDSA, ES256, RS256); repeatable",
  },
  'jwks-http': {
    ...LIST,
    describe: 'host whose --jwks URL may be http, in a network of your own, such as that of a compose file; repeatable',
  },
  'jwks-cache': {
    ...TEXT,
    default: '5m',
    describe: 'maximum age of a key set from a URL: a revoked key is refused after this',
  },
  'jwks-stale': {
    ...TEXT,
    default: '1h',
    describe: 'how long cached keys still work while the issuer is unreachable or slow',
  },
  'jwks-cooldown': {
    ...TEXT,
    default: '10s',
    describe: 'minimum time between two requests to a key set URL; at most --jwks-cache',
  },
  secret: { ...TEXT, describe: 'secret shared with the issuer (HS256, at least 32 bytes), instead of --jwks' },
  deny: {
    ...TEXT,
    describe: 'file with the tokens to refuse: a sub or jti on each line; read again when it changes',
  },
  audience: { ...TEXT, describe: 'required token audience (aud)' },
  scope: { ...TEXT, describe: 'required token scope' },
  explorer: { ...FLAG, default: true, describe: 'serve the explorer at /; disable with --no-explorer' },
  'embed-origin': {
    ...LIST,
    describe:
      'with --public: site whose pages may show the map at /embed in a frame, such as https://www.example.org; repeatable',
  },
  public: { ...FLAG, describe: 'serve everybody, without tokens; answers may be kept by shared caches' },
  dev: { ...FLAG, describe: 'accept development tokens of this machine, without an issuer; loopback addresses only' },
  workers: {
    ...NUMBER,
    default: 1,
    describe: 'number of worker processes (cluster of Node.js); one that exits is replaced',
  },
  'rate-limit': {
    ...TEXT,
    describe:
      'requests per client (issuer and subject of the token; with --public its address): 20/s, 600/m or 10000/h',
  },
  concurrency: { ...NUMBER, describe: 'requests in progress per client' },
  drain: {
    ...TEXT,
    default: '0s',
    describe: 'time after SIGTERM in which /readyz is 503 and connections are still accepted',
  },
  'stop-timeout': { ...TEXT, default: '30s', describe: 'time for responses in progress after SIGTERM or SIGINT' },
  'access-log': {
    ...FLAG,
    default: true,
    describe: 'write one JSON line per request to standard output; disable with --no-access-log',
  },
  'log-probes': {
    ...FLAG,
    default: false,
    describe: 'include health checks (/healthz, /readyz) in the access log and in the durations of the metrics',
  },
  'log-subject': {
    ...FLAG,
    default: false,
    describe: 'include the subject (sub) and the name (jti) of the token in the access log',
  },
  'metrics-host': { ...TEXT, default: '127.0.0.1', describe: 'address for Prometheus metrics' },
  'metrics-port': { ...NUMBER, describe: 'port for Prometheus metrics, at /metrics; 0 selects a free port' },
} as const;

type OptionTable = typeof SERVE_OPTIONS;

/**
 * The options of `serve` in camelCase, all optional. yargs infers the same types from the table; they are derived here
 * because published types must not need @types/yargs.
 */
export type ServeOptions = {
  readonly [Name in keyof OptionTable as CamelCase<Name>]?: OptionValue<OptionTable[Name]> | undefined;
};

type CamelCase<Name extends string> = Name extends `${infer Head}-${infer Tail}`
  ? `${Head}${Capitalize<CamelCase<Tail>>}`
  : Name;

type OptionValue<Option> = Option extends { array: true }
  ? readonly string[]
  : Option extends { type: 'boolean' }
    ? boolean
    : Option extends { type: 'number' }
      ? number
      : string;

/**
 * The options set in the environment, by name; a repeatable option has one value per line. Unknown BOUNDARIES_
 * variables are ignored: Kubernetes sets such variables for a service named `boundaries`, BOUNDARIES_PORT=tcp://...
 * among them.
 * @throws OptionError if a flag is neither true nor false
 */
export function optionsFromEnvironment(
  env: Readonly<Record<string, string | undefined>>,
): Record<string, string | string[]> {
  const options: Record<string, string | string[]> = {};
  for (const [name, option] of Object.entries(SERVE_OPTIONS)) {
    const variable = `BOUNDARIES_${name.replaceAll('-', '_').toUpperCase()}`;
    const value = env[variable];
    if (value === undefined || value === '' || (name === 'port' && /^(tcp|udp|sctp):\/\//.test(value))) continue;
    // yargs reads any other text as false.
    if (option.type === 'boolean' && value !== 'true' && value !== 'false')
      throw new OptionError('neither true nor false', `${variable}=${value}`, 'write true or false');
    options[name] = 'array' in option ? value.split('\n').filter((line) => line.trim() !== '') : value;
  }
  return options;
}
