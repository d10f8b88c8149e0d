// A proxy in this process, with the parts that a measurement of the request path calls by itself: what
// assemble-server.ts makes, from its own settings.
import type { Server } from 'node:http';
import { openReleases } from '../../../proxy/assemble-server.ts';
import { Authenticator } from '../../../proxy/auth/authenticate.ts';
import { ClientAddresses } from '../../../proxy/auth/client-addresses.ts';
import { responseCaches } from '../../../proxy/bodies/response-cache.ts';
import { optionsToSettings } from '../../../proxy/config/settings.ts';
import type { HandlerContext } from '../../../proxy/handler.ts';
import { BaseUrl } from '../../../proxy/http/base-url.ts';
import { Reads } from '../../../proxy/origin/origin.ts';
import { createHttpServer } from '../../../proxy/server.ts';
import { BodyBuffers } from '../../../proxy/work/body-buffers.ts';
import { HeldBytes } from '../../../proxy/work/held-bytes.ts';
import { WorkQueue } from '../../../proxy/work/work-queue.ts';

/** What a proxy needs to be started. */
export interface ProxyOptions {
  /** The output folder. */
  out: string;
  jwks: string;
  issuer: string;
  audience: string;
}

/** A proxy. */
export interface ProxyParts {
  context: HandlerContext;
  reads: Reads;
  /** Does not listen yet. */
  server: Server;
}

/** Creates a proxy. @throws StartError if there is no release to serve */
export async function proxyParts({ out, jwks, issuer, audience }: ProxyOptions): Promise<ProxyParts> {
  const log = (line: string): void => console.error(line);
  const settings = await optionsToSettings({ origin: out, jwks: [jwks], issuer: [issuer], audience }, log);
  const { origin, tokenRules, publicUrl, trustedProxies, resourceMetadata } = settings;
  const reads = new Reads(origin, new WorkQueue(), new BodyBuffers());
  const context: HandlerContext = {
    clients: tokenRules === undefined ? new ClientAddresses(trustedProxies) : new Authenticator(tokenRules),
    audience: 'private',
    releases: await openReleases(settings, log),
    responses: responseCaches(),
    reads,
    limits: undefined,
    lifecycle: { isStopping: false },
    baseUrl: new BaseUrl(publicUrl, trustedProxies, log),
    resourceMetadata,
    // Nothing public is asked for.
    publicRows: new Map(),
    log,
  };
  const { server } = createHttpServer(context, { reads, held: new HeldBytes() }, {});
  return { context, reads, server };
}
