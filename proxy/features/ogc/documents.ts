// The documents of OGC API - Features: landing page, conformance, collections, and its OpenAPI document. Made from what
// is known of a release; the response cache keeps them.
import { type Answer, type Representation, tagOf } from '../../bodies/answer.ts';
import type { FixedHeaders } from '../../bodies/headers.ts';
import { textAnswer } from '../../bodies/text-answer.ts';
import type { LoadedRelease } from '../../data/loaded-release.ts';
import { collectionOf, collectionsOf, type Link, linkHeader, OGC_PATH, queryablesLink } from '../items/item-paths.ts';
import { collectionDocument, columnsSchema, creditsOf, licenceLinks } from './collection.ts';
import type { DocumentEndpoint } from './ogc-paths.ts';
import { OPENAPI_TYPE } from './ogc-paths.ts';
import { apiDocument, type Service, TITLE } from './openapi.ts';

/** What holds of parts 1 (Core, OGC 17-069r4) and 3 (Filtering, OGC 19-079r2) of OGC API - Features. */
const CONFORMANCE = [
  '1/1.0/conf/core',
  '1/1.0/conf/geojson',
  '1/1.0/conf/oas30',
  '3/1.0/conf/queryables',
  '3/1.0/conf/queryables-query-parameters',
].map((name) => `http://www.opengis.net/spec/ogcapi-features-${name}`);
/** It asks for the documentation of the interface as HTML, which a service without the explorer has not. */
const OAS30 = /\/oas30$/;
const JSON_TYPE = 'application/json';

/** What the documents say of the service. */
interface DocumentedService extends Service {
  /** Does it have /docs? */
  hasExplorer?: boolean;
}

/** The answer with a document. @throws Problem not-found if the level has no features */
export function answerDocument(
  endpoint: DocumentEndpoint,
  fixed: FixedHeaders,
  representation: Representation,
  service: DocumentedService,
): Answer {
  const { base } = representation;
  const text = `${JSON.stringify(contentOf(endpoint, representation, service))}\n`;
  const { document, level } = endpoint;
  const isCollection = document === 'collection' && level !== undefined;
  const more = isCollection ? ['Link', linkHeader([queryablesLink(level, base)])] : [];
  return textAnswer(fixed, representation, tagOf(text), text, more);
}

function contentOf(
  { path, document, level }: DocumentEndpoint,
  { release, base }: Representation,
  service: DocumentedService,
): object {
  if (level !== undefined && document === 'collection')
    return collectionDocument(collectionOf(release, level), release, base);
  if (level !== undefined) return columnsSchema(document, base + path, collectionOf(release, level), release.quality);
  switch (document) {
    case 'conformance':
      return { conformsTo: CONFORMANCE.filter((name) => service.hasExplorer || !OAS30.test(name)) };
    case 'api':
      return apiDocument(service, base + OGC_PATH, release.geometries, collectionsOf(release), licenceOf(release));
    case 'collections': {
      const collections = collectionsOf(release).map((summary) => collectionDocument(summary, release, base));
      return { ...creditsOf(release), links: [linkTo(base, '/collections', 'self')], collections };
    }
    default:
      return landingPage(release, base, service);
  }
}

function licenceOf(release: LoadedRelease): { name: string; url: string } | undefined {
  const [link] = licenceLinks(release);
  return link && { name: link.title ?? link.href, url: link.href };
}

function landingPage(release: LoadedRelease, base: string, { title = TITLE, hasExplorer }: DocumentedService): object {
  const links = [
    linkTo(base, '', 'self'),
    { ...linkTo(base, '/api', 'service-desc'), type: OPENAPI_TYPE },
    ...(hasExplorer ? [{ href: `${base}/docs`, rel: 'service-doc', type: 'text/html' }] : []),
    linkTo(base, '/conformance', 'conformance'),
    linkTo(base, '/collections', 'data'),
    ...licenceLinks(release),
  ];
  const { id, date } = release;
  const description = `Release ${id}${date === undefined ? '' : ` of ${date}`}`;
  return { title, description, ...creditsOf(release), links };
}

function linkTo(base: string, path: string, rel: string): Link {
  return { href: base + OGC_PATH + path, rel, type: JSON_TYPE };
}
