// The documents of OGC API - Features: landing page, conformance, collections, and its OpenAPI document. Made from what is
// known of a release; the response cache keeps them. Used by rows.ts.
import { hash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { elementAt } from '../../format/element-at.ts';
import type { Level } from '../../format/levels.ts';
import { levelName } from '../../format/levels.ts';
import type { LevelSummary } from '../../format/release.ts';
import type { Answer, Basis } from '../bodies/answer.ts';
import type { LoadedRelease } from '../data/load-release.ts';
import { Problem } from '../http/problem.ts';
import type { DocumentEndpoint } from './endpoints.ts';
import { COLLECTIONS_PATH, OGC_PATH, OPENAPI_TYPE, SCHEMA_TYPE } from './endpoints.ts';
import { type Audience, type FixedHeaders, releaseAnswer } from './headers.ts';
import { apiDocument, type Service, TITLE } from './ogc-openapi.ts';
import { columnsSchema } from './ogc-schema.ts';

/** What holds of parts 1 (Core, OGC 17-069r4) and 3 (Filtering, OGC 19-079r2) of OGC API - Features. */
const CONFORMANCE = ['1/1.0/conf/core', '1/1.0/conf/geojson', '1/1.0/conf/oas30', '3/1.0/conf/queryables'].map(
  (name) => `http://www.opengis.net/spec/ogcapi-features-${name}`,
);
const JSON_TYPE = 'application/json';
/** The registered relations of the OGC begin so. */
const RELATIONS = 'http://www.opengis.net/def/rel/ogc/1.0/';
/** 96 bits of SHA-256 in base64url. */
const TAG_CHARS = 16;

/** A link (OGC 17-069r4, section 7.7.1). */
export interface Link {
  href: string;
  rel: string;
  type: string;
  title?: string;
}

/** The licence of the data: none if the release does not say where its text is. */
export function licenceLinks({ licence }: LoadedRelease): Link[] {
  if (licence === undefined || licence.startsWith('LicenseRef-')) return [];
  const href = URL.canParse(licence) ? licence : `https://spdx.org/licenses/${licence}.html`;
  return [{ href, rel: 'license', type: 'text/html', title: licence }];
}

/** Answers with documents. The answer has the title of the service, and throws Problem not-found without features. */
export function answerDocument(audience: Audience) {
  return (endpoint: DocumentEndpoint, fixed: FixedHeaders, basis: Basis, title: string = TITLE): Answer => {
    const text = `${JSON.stringify(contentOf(endpoint, basis, { title, audience }))}\n`;
    const tag = hash('sha256', text, 'base64url').slice(0, TAG_CHARS);
    const isGzip = basis.coding === 'gzip';
    const body = isGzip ? gzipSync(text) : Buffer.from(text);
    return releaseAnswer(fixed.current[basis.coding], basis, isGzip ? tag : `${tag}-i`, body, []);
  };
}

/** What release.json says of a level that is a collection. @throws Problem not-found if it has no features */
export function collectionOf(release: LoadedRelease, level: Level): LevelSummary {
  const summary = elementAt(release.summaries, level);
  if (summary.features > 0) return summary;
  const names = collectionsOf(release).map((known) => levelName(known.level));
  throw new Problem('not-found', `The collections of this release are ${names.join(', ')}.`);
}

function contentOf({ path, document, level }: DocumentEndpoint, { release, base }: Basis, service: Service): object {
  if (level !== undefined && document === 'collection')
    return collectionDocument(collectionOf(release, level), release, base);
  if (level !== undefined) return columnsSchema(document, base + path, collectionOf(release, level));
  switch (document) {
    case 'conformance':
      return { conformsTo: CONFORMANCE };
    case 'api':
      return apiDocument(service, base + OGC_PATH, release.geometries, collectionsOf(release));
    case 'collections': {
      const collections = collectionsOf(release).map((summary) => collectionDocument(summary, release, base));
      return { ...creditsOf(release), links: [linkTo(base, '/collections', 'self')], collections };
    }
    default:
      return landingPage(release, base, service.title);
  }
}

function landingPage(release: LoadedRelease, base: string, title: string): object {
  const links = [
    linkTo(base, '', 'self'),
    { ...linkTo(base, '/api', 'service-desc'), type: OPENAPI_TYPE },
    linkTo(base, '/conformance', 'conformance'),
    linkTo(base, '/collections', 'data'),
    ...licenceLinks(release),
  ];
  const { id, date } = release;
  const description = `Release ${id}${date === undefined ? '' : ` of ${date}`}`;
  return { title, description, ...creditsOf(release), links };
}

function collectionDocument({ level, layer, features, extent }: LevelSummary, release: LoadedRelease, base: string) {
  const id = levelName(level);
  const href = `${base}${COLLECTIONS_PATH}/${id}`;
  const links: Link[] = [
    { href, rel: 'self', type: JSON_TYPE },
    { href: `${href}/items`, rel: 'items', type: 'application/geo+json', title: `The units of level ${level}` },
    { href: `${href}/queryables`, rel: `${RELATIONS}queryables`, type: SCHEMA_TYPE, title: 'What to filter by' },
    { href: `${href}/schema`, rel: `${RELATIONS}schema`, type: SCHEMA_TYPE, title: 'Columns' },
    ...licenceLinks(release),
  ];
  const spatial = { bbox: [extent], crs: 'http://www.opengis.net/def/crs/OGC/1.3/CRS84' };
  return {
    id,
    title: `Level ${level} (${layer})`,
    ...creditsOf(release),
    links,
    ...(extent !== undefined && { extent: { spatial } }),
    itemType: 'feature',
    itemCount: features,
  };
}

function collectionsOf({ summaries }: LoadedRelease): LevelSummary[] {
  return summaries.filter(({ features }) => features > 0);
}

function creditsOf({ attribution }: LoadedRelease): { attribution?: string } {
  return attribution.length > 0 ? { attribution: attribution.join('\n') } : {};
}

function linkTo(base: string, path: string, rel: string): Link {
  return { href: base + OGC_PATH + path, rel, type: JSON_TYPE };
}
