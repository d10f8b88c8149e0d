// @ts-nocheck: the benchmark installs the packages in a folder of its own, and copies this file there.
// What people would pick instead of the proxy: file servers for Node that check the same tokens. Arguments: which one, and
// a JSON file with the folder of the files, the key as JWK and as PEM, issuer and audience.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';

const [name, file] = process.argv.slice(2);
const { site, gzipped, jwk, pem, issuer, audience } = JSON.parse(readFileSync(file, 'utf8'));
const GZIP = { 'Content-Type': 'application/geo+json', 'Content-Encoding': 'gzip' };

/** Verifies a token with jose. @returns a function from a header to its claims, undefined if the token is not valid */
async function joseVerifier() {
  const { createLocalJWKSet, jwtVerify } = await import('jose');
  const keys = createLocalJWKSet({ keys: [jwk] });
  return async (authorization = '') => {
    const verified = await jwtVerify(authorization.slice('Bearer '.length), keys, { issuer, audience }).catch(() => {});
    return verified?.payload;
  };
}

const PEERS = {
  /** Answers nginx's auth_request. */
  async nothing() {
    return createServer((_, res) => void res.writeHead(204).end());
  },
  async sirv() {
    const { default: sirv } = await import('sirv');
    const verify = await joseVerifier();
    const serve = sirv(site, { gzip: true, extensions: [] });
    const expires = new Map();
    return createServer(async (req, res) => {
      const { authorization } = req.headers;
      let until = expires.get(authorization);
      if (until === undefined) {
        const claims = await verify(authorization);
        until = claims?.exp ?? 0;
        if (claims !== undefined) expires.set(authorization, until);
      }
      if (Date.now() / 1000 < until) serve(req, res);
      else res.writeHead(401).end();
    });
  },
  async fastify() {
    const { default: fastify } = await import('fastify');
    const app = fastify();
    await app.register(import('@fastify/jwt'), {
      secret: { public: pem },
      verify: { algorithms: ['EdDSA'], allowedIss: issuer, allowedAud: audience, cache: true },
    });
    app.addHook('onRequest', (request) => request.jwtVerify());
    await app.register(import('@fastify/static'), { root: site, preCompressed: true });
    await app.ready();
    return app.server;
  },
  async express() {
    const { default: express } = await import('express');
    const { default: serveStatic } = await import('serve-static');
    const verify = await joseVerifier();
    const app = express();
    app.use(async (req, res, next) => {
      if ((await verify(req.headers.authorization)) === undefined) res.status(401).end();
      else next();
    });
    app.use(serveStatic(gzipped, { setHeaders: (res) => res.setHeaders(new Map(Object.entries(GZIP))) }));
    return createServer(app);
  },
};

const server = await PEERS[name]();
server.listen(0, '127.0.0.1', () => console.log(`listening at http://127.0.0.1:${server.address().port}`));
