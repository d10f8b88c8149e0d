// Each kind of answer that the contract has, and the request that gets it.
import { apiPaths } from '../../proxy/features/all-paths.ts';

export const API = '/api/v1';
export const ITEM = `${API}/ogc/collections/lv2/items/1`;

/** What needs no token. */
export const OPEN = ['/healthz', '/readyz', '/openapi.json', '/.well-known/oauth-protected-resource'];

/** What the release of these tests does not have: proxy/features/changes/changes.test.ts and tiles.test.ts ask for it. */
const NOT_THERE = /\/changes|\/tiles\/|\.pmtiles$/;
/** What is in paths, and in queries that need it. */
const VALUES: Readonly<Record<string, string>> = { level: 'lv2', fid: '1', point: '10,10', q: 'unit' };

/** A request for each path of the rows, with what it needs. */
const DESCRIBED = apiPaths()
  .map(({ description }) => description)
  .filter(({ path }) => !NOT_THERE.test(path))
  .map(({ path, parameters, hasRanges = false }) => {
    const needed = parameters.filter((parameter) => parameter.document({}).required);
    const query = needed.map(({ name }) => `${name}=${VALUES[name]}`).join('&');
    const target = path.replace(/\{(\w+)\}/g, (_, name) => VALUES[name] ?? '');
    return { target: query === '' ? target : `${target}?${query}`, hasRanges };
  });
/** Which bytes these have does not depend on what the client accepts. */
export const SAVED = [
  ...DESCRIBED.filter(({ hasRanges }) => hasRanges).map(({ target }) => target),
  `${API}/download/lv2.geojson.gz?gid-0=none`,
];
/** Of each kind one, compressed for clients that accept it. */
export const PACKED = [
  ...DESCRIBED.filter(({ hasRanges }) => !hasRanges).map(({ target }) => target),
  `${API}/fc/lv2?gid-0=none`,
];
export const KINDS: readonly string[] = [...PACKED, ...SAVED];
