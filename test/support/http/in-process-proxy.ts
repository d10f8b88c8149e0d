// A running proxy for tests: a real server on a free port over a release folder, and tokens it accepts.
import type { KeyObject } from 'node:crypto';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { SignJWT } from 'jose';
import { assembleServer, type ServerParts, type ServerSettings } from '../../../proxy/assemble-server.ts';
import type { KeySet, KeySource, TokenRules } from '../../../proxy/auth/authenticate.ts';
import { newKeyPair } from '../../../proxy/auth/key-pair.ts';
import { issuersToMetadata } from '../../../proxy/auth/resource-metadata.ts';
import { rangesToTrustedProxies } from '../../../proxy/config/trusted-proxies.ts';
import { Releases } from '../../../proxy/data/hosted-releases.ts';
import type { LoadRelease } from '../../../proxy/data/loaded-release.ts';
import type { LimitRules } from '../../../proxy/guards/admit-client.ts';
import type { HttpRequest } from '../../../proxy/http/request.ts';
import { jwksToKeySet } from '../../../proxy/keys/key-set.ts';
import { fixedKeys } from '../../../proxy/keys/rotating-keys.ts';
import type { HttpServer, Observer, ServerLimits } from '../../../proxy/node/server.ts';
import { directoryOrigin } from '../../../proxy/origin/directory.ts';
import type { Assets } from '../../../proxy/site/asset.ts';
import { publicAssets } from '../../../proxy/site/explorer-files.ts';
import type { VirtualTime } from '../../simulation/virtual-time.ts';
import { after } from '../after.ts';

export const ISSUER = 'https://issuer.test';
export const AUDIENCE = 'boundaries';

const KEY = newKeyPair();

/** The key set that `token` signs for. */
export const JWKS: string = JSON.stringify({
  keys: [{ ...KEY.publicKey.export({ format: 'jwk' }), kid: 'one', alg: 'EdDSA' }],
});

/** By then a service has stopped. */
const STOP_MS = 30_000;

type OwnSettings = Pick<
  ServerSettings,
  'origin' | 'publicUrl' | 'title' | 'signInHelp' | 'forwardedHost' | 'embedOrigins'
>;
type OwnParts = Pick<ServerParts, 'work' | 'held' | 'guards' | 'assets'>;

export interface ServiceOptions extends Partial<OwnSettings>, OwnParts, Pick<Observer, 'observe' | 'unparsed'> {
  /** Shall it serve everybody, without tokens? */
  isPublic?: boolean;
  audience?: string;
  scope?: string;
  /** The keys of each issuer; ISSUER and its key where left out. */
  issuers?: ReadonlyMap<string, KeySource>;
  /** Tokens that are refused. */
  denied?: TokenRules['denied'];
  /** The clock that the times of tokens are compared with; the system's where left out. */
  now?: () => number;
  /** Shall challenges name the metadata? */
  metadata?: boolean;
  trustProxy?: readonly string[];
  limits?: ServerLimits;
  /** By which the limits of clients are measured, but for those of node:http itself; the machine's where left out. */
  time?: VirtualTime;
  rules?: LimitRules;
  /** Shall it have looked for no release yet? */
  early?: boolean;
  explorer?: boolean;
  /** How it loads releases; whole where left out. */
  load?: LoadRelease;
}

export interface RunningService {
  /** `http://127.0.0.1:port` */
  url: string;
  releases: Releases;
  server: Server;
  stop: HttpServer['stop'];
  heldBytes: HttpServer['heldBytes'];
  log: string[];
  /** What it knows of each request that it was asked. */
  requests: HttpRequest[];
}

export function rulesWith(keys: KeySet): TokenRules {
  const issuers = new Map([[ISSUER, fixedKeys(keys)]]);
  return { issuers, audience: AUDIENCE, scope: undefined, now: () => Date.now() };
}

/** Starts a proxy for the output folder `out`; it stops when the test file ends. */
export async function startService(out: string, options: ServiceOptions = {}): Promise<RunningService> {
  const origin = options.origin ?? directoryOrigin(out);
  const releases = new Releases(origin, options.load ? { load: options.load } : {});
  if (!options.early) await releases.refresh();
  const { issuers } = rulesWith(jwksToKeySet(JWKS));
  const rules = {
    issuers: options.issuers ?? issuers,
    audience: options.audience ?? AUDIENCE,
    scope: options.scope,
    denied: options.denied,
    now: options.now ?? (() => Date.now()),
  };
  const log: string[] = [];
  const requests: HttpRequest[] = [];
  const { time, observe, unparsed, publicUrl, title, signInHelp, forwardedHost, embedOrigins = [] } = options;
  const { work, held, guards } = options;
  const settings = {
    ...{ origin, publicUrl, title, signInHelp, forwardedHost, embedOrigins },
    tokenRules: options.isPublic ? undefined : rules,
    trustedProxies: options.trustProxy && rangesToTrustedProxies(options.trustProxy),
    resourceMetadata: options.metadata ? issuersToMetadata([...rules.issuers.keys()], rules.scope) : undefined,
    limits: options.rules,
    hasExplorer: options.explorer === true,
  };
  const { server, stop, heldBytes } = assembleServer(settings, releases, (line) => log.push(line), {
    observer: {
      observe(...observed) {
        requests.push(observed[2]);
        observe?.(...observed);
      },
      ...(unparsed && { unparsed }),
    },
    timeouts: options.limits,
    ...{ work, held, guards },
    time: time && { now: () => time.now, after: (ms, run) => time.after(ms, run) },
    assets: options.assets ?? knownAssets(settings),
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  after(async () => {
    const stopped = stop({ drainMs: 0, timeoutMs: STOP_MS });
    await time?.pass(STOP_MS);
    await stopped;
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, releases, server, stop, heldBytes, log, requests };
}

/** The public files of services that are described alike, which are made once: they cost more than all else here. */
function knownAssets(settings: ServerSettings): Assets {
  const { publicUrl, title, signInHelp, tokenRules, hasExplorer, embedOrigins } = settings;
  const issuers = [...(tokenRules?.issuers.keys() ?? [])];
  const audience = tokenRules === undefined ? 'public' : 'private';
  const service = { publicUrl, title, audience, issuers, signInHelp, embedOrigins } as const;
  const key = JSON.stringify([service, hasExplorer]);
  const assets = KNOWN_ASSETS.get(key) ?? publicAssets(service, hasExplorer);
  KNOWN_ASSETS.set(key, assets);
  return assets;
}

const KNOWN_ASSETS = new Map<string, Assets>();

/** A valid token, but for what `claims` change; undefined leaves a claim out. */
export function token(claims: Record<string, unknown> = {}, key: KeyObject = KEY.privateKey): Promise<string> {
  const now = Math.floor(Date.now() / 1000);
  const all = { iss: ISSUER, aud: AUDIENCE, sub: 'tester', iat: now, exp: now + 3600, ...claims };
  return new SignJWT(all).setProtectedHeader({ alg: 'EdDSA', kid: 'one' }).sign(key);
}

/** Headers with a valid token, but for what `claims` change. */
export async function authorizedWith(claims: Record<string, unknown>): Promise<{ authorization: string }> {
  return { authorization: `Bearer ${await token(claims)}` };
}

/** A valid token. */
export const TOKEN: string = await token();

/** Headers with it. */
export const AUTHORIZED: { authorization: string } = { authorization: `Bearer ${TOKEN}` };

/** In place of them. */
export const NO_TOKEN = { authorization: undefined };

/** Headers with which a browser asks whether it may send a token to another origin. */
export const PREFLIGHT = { ...NO_TOKEN, origin: 'https://app.test', 'access-control-request-method': 'GET' };
