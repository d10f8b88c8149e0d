// The document of the interface: valid, true to the tables, and every example in it does what it says. Those that show
// units of the sample are in openapi.ci.ts.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Validator } from '@seriousme/openapi-schema-validator';
import { packageVersion } from '../../format/command-line/messages.ts';
import { FORMATS, LEVELS, levelName, MEDIA_TYPES } from '../../format/levels.ts';
import { PAGE_CAPS } from '../../format/page-caps.ts';
import { isObject } from '../../format/parse.ts';
import { contentOptionsFrom } from '../../generator/options/option-texts.ts';
import type { KeySource } from '../../proxy/auth/authenticate.ts';
import { type LoadRelease, loadRelease } from '../../proxy/data/loaded-release.ts';
import { apiRows } from '../../proxy/features/all-paths.ts';
import { PROBLEMS } from '../../proxy/http/problem.ts';
import { RotatingKeys, type TextLocation } from '../../proxy/keys/rotating-keys.ts';
import { OriginError } from '../../proxy/origin/origin.ts';
import { openapiDocument } from '../../proxy/site/openapi/document.ts';
import { refusal, send, sendRaw, textOf } from '../support/http/http-client.ts';
import { ISSUER, NO_TOKEN, startService, TOKEN } from '../support/http/in-process-proxy.ts';
import { type Document, parametersOf, resolved } from '../support/http/openapi-document.ts';
import { buildCountries, WHOLE } from '../support/releases/build-release.ts';
import { watchedOrigin } from '../support/watched-origin.ts';

// Its names are English, for the example of `lang`.
const ENGLISH = contentOptionsFrom({ 'name-column': ['lv0:en=COUNTRY'] });
const folder = await buildCountries({ ...WHOLE, ...ENGLISH });
const proxy = await startService(folder);

const fetched = await send(proxy, '/openapi.json', NO_TOKEN);
const document: Document = JSON.parse(fetched.body.toString());

/** A path of the document at a level. */
function atLevel(path: string, level: string): string {
  return path.replace('{level}', level);
}

/** Sends an example as it is printed and returns status and body. */
async function replay(request: string, to = proxy): Promise<{ status: number; body: string }> {
  const bytes = `${request.replace('$TOKEN', TOKEN)}\n\n`;
  const second = request.split('$TOKEN').length > 2 ? bytes.replace('$TOKEN', 'again') : bytes;
  return answerIn(await sendRaw(to, second.replace('\n', '\nConnection: close\n').replaceAll('\n', '\r\n')));
}

function answerIn(text: string): { status: number; body: string } {
  return { status: Number(text.slice('HTTP/1.1 '.length).slice(0, 3)), body: text.slice(text.indexOf('\r\n\r\n') + 4) };
}

test('is valid OpenAPI 3.1 in the eyes of a public validator', async () => {
  const { valid, errors } = await new Validator().validate(JSON.parse(fetched.body.toString()));
  assert.ok(valid, JSON.stringify(errors));
  assert.match(document.openapi, /^3\.1\./);
  assert.equal(document.info.version, packageVersion());
});

test('neither document has an array that does not say what its items are', async () => {
  const ogc = JSON.parse((await send(proxy, '/api/v1/ogc/api')).body.toString());
  const arrays: unknown[] = [];
  for (const whole of [document, ogc])
    JSON.stringify(whole, (_name, value) => {
      if (value?.type === 'array') arrays.push(value.items);
      return value;
    });
  assert.ok(arrays.length > 5 && !arrays.includes(undefined), JSON.stringify(arrays));
});

test('the patterns of places and of what is looked for allow what the server allows, up to the last digit', async () => {
  const far = '00000000000000000000000001';
  const longitudes = ['180', '-180.000', '179.99', '007', '99', '180.1', `180.${far}`, '181', '200', '999'];
  const latitudes = ['90', '-90.00', '89.9', '08.5', '005', '90.1', `90.${far}`, '91', '100', '190'];
  const points = [...longitudes.map((x) => `${x},0`), ...latitudes.map((y) => `0,${y}`)];
  const boxes = [...longitudes.map((x) => `${x},0,1,1`), ...latitudes.map((y) => `0,-90,1,${y}`)];
  for (const [path, name, values] of [
    ['/api/v1/at', 'point', points],
    ['/api/v1/fc/{level}', 'contains', points],
    ['/api/v1/fc/{level}', 'bbox', boxes],
    ['/api/v1/search', 'q', ['a', '\u00a4', '--', '5', ' \u00e9']],
  ] as const) {
    const { pattern } = parametersOf(document, path).get(name)?.schema ?? {};
    for (const value of values) {
      const { status } = await send(proxy, `${atLevel(path, 'lv0')}?${name}=${encodeURIComponent(value)}`);
      assert.equal(status, new RegExp(String(pattern), 'u').test(value) ? 200 : 400, `${name}=${value}`);
    }
  }
  const startOf = (path: string): unknown => parametersOf(document, path).get('start-at')?.schema;
  assert.deepEqual(startOf('/api/v1/ogc/collections/{level}/items'), startOf('/api/v1/fc/{level}'));
  const columns = Object.values(document.components.parameters).find(({ name }) => name === 'columns');
  assert.deepEqual(columns?.schema['additionalProperties'], { type: 'string', minLength: 1 });
});

test('is served to anyone, from a cache if it is there, and names the public URL, or the host that it came from', async () => {
  assert.equal(fetched.headers['content-type'], 'application/json');
  assert.ok(fetched.headers.etag);
  for (const coding of ['gzip', 'identity']) {
    const whole = await send(proxy, '/openapi.json', { ...NO_TOKEN, 'accept-encoding': coding });
    assert.equal(textOf(whole), fetched.body.toString());
    const held = { ...NO_TOKEN, 'accept-encoding': coding, 'if-none-match': String(whole.headers.etag) };
    const again = await send(proxy, '/openapi.json', held);
    assert.deepEqual([again.status, again.body.length], [304, 0]);
  }
  assert.deepEqual(document.servers, [{ url: '/' }]);
  const known = await startService(folder, { publicUrl: 'https://x.test/boundaries' });
  const { servers } = JSON.parse((await send(known, '/openapi.json', NO_TOKEN)).body.toString());
  assert.deepEqual(servers, [{ url: 'https://x.test/boundaries' }]);
});

test('has a path for each format with the level as a parameter, whose page-size says the caps of all levels and has no maximum', () => {
  for (const format of FORMATS) {
    const path = `/api/v1/${format}/{level}`;
    const { schema, description = '' } = parametersOf(document, path).get('page-size') ?? {};
    assert.deepEqual(schema, { type: 'integer', minimum: 1 });
    for (const level of LEVELS)
      assert.match(description, RegExp(`\\b${PAGE_CAPS[format][level]} for [lv0-9 and]*${levelName(level)}`));
    assert.ok(resolved(document.paths[path]?.get.responses['200'] ?? {}).content?.[MEDIA_TYPES[format]]);
    assert.deepEqual(parametersOf(document, path).get('level')?.schema['enum'], LEVELS.map(levelName));
  }
});

test('has every path of the API, and no other, in at most 95 kB without white space', () => {
  const paths = Object.keys(document.paths).filter((path) => path.startsWith('/api/'));
  const ofLevels = paths.flatMap((path) =>
    path.includes('{level}') ? LEVELS.map((level) => atLevel(path, levelName(level))) : [path],
  );
  // The landing page has two. Those of single features go on with a fid, those of tiles with their place, those of changes with two releases.
  const known = apiRows().all.map(({ path }) =>
    path
      .replace(/(?<=ogc)\/$/, '')
      .replace(/(?<=items)\/$/, '/{fid}')
      .replace(/(?<=tiles\/lv.\/)$/, '{z}/{x}/{y}.mvt')
      .replace(/(?<=changes\/)$/, '{from}..{to}.csv'),
  );
  assert.deepEqual(ofLevels.sort(), [...new Set(known)].sort());
  assert.ok(fetched.body.length <= 95_000, `${fetched.body.length} bytes`);
  assert.equal(fetched.body.toString(), `${JSON.stringify(document)}\n`);
});

test('a path that is unknown is told all those that there are, as the document has them', async () => {
  const named = Object.keys(document.paths).filter((path) => /^\/api\/(?!v1\/ogc\/)/.test(path));
  const expected = `Available: ${named.join(', ')}; {level} is one of ${LEVELS.map(levelName).join(' ')}.`;
  // More of them, byte by byte, are in proxy/node/hostile-requests.test.ts.
  for (const path of ['', 'v2/fc/lv0', ...['no-such-path', 'fc', 'names', 'names/LV0'].map((name) => `v1/${name}`)])
    assert.equal(refusal(await send(proxy, `/api/${path}`), 404, 'not-found'), expected, path);
});

test('names the parameters that the parser takes, and those alone', async () => {
  const path = '/api/v1/fc/{level}';
  for (const level of LEVELS) {
    const { body } = await send(proxy, `${atLevel(path, levelName(level))}?no-such=1`);
    const [, allowed = ''] = /Allowed: (.*)\.$/.exec(JSON.parse(body.toString()).detail) ?? [];
    const { level: _, ...named } = Object.fromEntries(parametersOf(document, path));
    const taken = Object.keys(named).filter((name) => !/^gid-/.test(name) || Number(name.slice(4)) <= level);
    assert.deepEqual(taken, allowed.split(', '));
  }
});

test('the example of every parameter is answered with a page or file; that of a release only where the sample is hosted', async () => {
  for (const path of Object.keys(document.paths).filter((known) => known.startsWith('/api/')))
    for (const [name, { in: place, example }] of parametersOf(document, path)) {
      const pairs: Record<string, unknown> = isObject(example) ? { ...example } : { [name]: example };
      // With all that is required.
      for (const [other, parameter] of parametersOf(document, path))
        if (parameter.required === true && parameter.in === 'query') pairs[other] = parameter.example;
      const written = Object.entries(pairs).map(([key, value]) => `${key}=${value}`);
      // The level is that of the unit.
      if (path === '/api/v1/children' && name === 'level') written.push('gid=AAA.1_1');
      const query = place === 'path' ? '' : written.join('&');
      // In OGC API - Features only levels with features have paths, and the dataset has three levels; it has no tiles,
      // no table of a level without units, and no changes are published.
      const ofTiles = name === 'v' ? 410 : 404;
      const isTile = path.startsWith('/api/v1/tiles/');
      const isNone =
        path.includes('{from}') ||
        (path === '/api/v1/children' && name === 'gid') ||
        (/\.(pmtiles|parquet)$/.test(path) && name === 'level');
      const status = isTile ? ofTiles : isNone ? 404 : name === 'release' ? 410 : 200;
      // The deepest level takes all filters.
      const known = atLevel(path, path.includes('/ogc/') ? 'lv0' : 'lv5');
      const target = `${known.replace('{fid}', '1').replace('{z}/{x}/{y}', '0/0/0')}?${query}`;
      assert.equal((await send(proxy, target)).status, status, target);
    }
});

test('paths that are said to need no token need none, and all others need one', async () => {
  for (const [path, { get }] of Object.entries(document.paths)) {
    const { status } = await send(proxy, path, NO_TOKEN);
    assert.equal(status, get.security === undefined ? 401 : 200, path);
  }
});

const PAGE = 'GET /api/v1/fc/lv0 HTTP/1.1\nHost: a.test\nAuthorization: Bearer $TOKEN';

const broken: KeySource = { known: () => undefined, load: () => Promise.reject(new Error('for the test')) };
const away: TextLocation = { name: 'for the test', read: () => Promise.reject(new Error('away')) };
const noKeys = new RotatingKeys(away, { cacheMs: 1000, staleMs: 1000, cooldownMs: 1000 }, () => {});

/** An origin whose pages and features fail so. */
const failingOrigin = (reason: OriginError['reason']) =>
  watchedOrigin(folder, (path) => {
    if (path.endsWith('.gz')) throw new OriginError(reason, path);
  });

/** A release whose tables are larger than there is room for. */
const loadLarge: LoadRelease = async (...of) => {
  const { summaries, ...release } = await loadRelease(...of);
  const [first, ...others] = summaries;
  assert.ok(first !== undefined);
  const large = { ...first, index: { ...first.index, bytes: 109_500_000 } };
  return { ...release, summaries: [large, ...others], room: 50_000_000 };
};

const SHORT = { headersMs: 50, requestMs: 50, checkMs: 10, keepAliveMs: 1000, idleMs: 1000 };
const ONE_AN_HOUR = { rate: { requests: 1, windowSeconds: 3600 }, concurrency: undefined };

/** What causes the problems that no request of the document to a usual service gets: another service or request. */
const PROVOKED: Readonly<Record<string, { service?: Parameters<typeof startService>[1]; request?: string }>> = {
  'scope-missing': { service: { scope: 'boundaries:read' } },
  'request-timeout': { service: { limits: SHORT } },
  'uri-too-long': { request: PAGE.replace('lv0', `lv0?gid-0=${'a'.repeat(9000)}`) },
  'too-many-requests': { service: { rules: ONE_AN_HOUR } },
  'release-too-large': { service: { load: loadLarge }, request: PAGE.replace('fc/lv0', 'search?q=a') },
  overloaded: { service: { work: { running: 1, waiting: 0 } } },
  'headers-too-large': { request: `${PAGE}\nX-Long: ${'a'.repeat(20_000)}` },
  internal: { service: { issuers: new Map([[ISSUER, broken]]) } },
  'origin-damaged': { service: { origin: failingOrigin('damaged') } },
  'origin-unreachable': { service: { origin: failingOrigin('unreachable') } },
  'not-ready': { service: { early: true } },
  'keys-unavailable': { service: { issuers: new Map([[ISSUER, noKeys]]) } },
  'origin-slow': { service: { origin: failingOrigin('slow') } },
};

async function provoke(code: string): Promise<{ status: number; body: string }> {
  const { service, request = PAGE } = PROVOKED[code] ?? assert.fail(`nothing provokes ${code}`);
  const started = service === undefined ? proxy : await startService(folder, service);
  if (code === 'request-timeout') return answerIn(await sendRaw(started, 'GET / HTTP/1.1\r\n'));
  // The second request is the one that is too many.
  await replay(request, started);
  return replay(request, started);
}

test('has an example of every problem, which is what the request gives', async () => {
  const examples = Object.values(document.components.responses).flatMap(({ content }) =>
    Object.entries(content?.['application/problem+json']?.examples ?? {}),
  );
  assert.deepEqual(examples.map(([code]) => code).sort(), Object.keys(PROBLEMS).sort());
  for (const [code, { value, 'x-request': request }] of examples) {
    const { status, body } = await (request === undefined ? provoke(code) : replay(request));
    assert.deepEqual(JSON.parse(body), value, code);
    assert.equal(status, JSON.parse(body).status, code);
  }
});

test('the document is made from the tables alone', () => {
  assert.deepEqual(openapiDocument({ audience: 'private' }), document);
});
