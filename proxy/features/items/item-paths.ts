// The paths of features in OGC API - Features, and what a collection is.
import { elementAt } from '../../../format/element-at.ts';
import type { LevelSummary } from '../../../format/level-json.ts';
import { LEVELS, type Level, levelName, MEDIA_TYPES } from '../../../format/levels.ts';
import type { LoadedRelease } from '../../data/loaded-release.ts';
import { Problem } from '../../http/problem.ts';
import { API_PATH } from '../../http/request.ts';
import type { FeaturesEndpoint } from '../pages/page-paths.ts';
import { ITEM_PARAMETERS, ITEMS_PARAMETERS } from './item-parameters.ts';

/** The landing page of the interface; its other paths begin with it. */
export const OGC_PATH = `${API_PATH}/ogc`;
/** The collections, and the path of each with a level's name. */
export const COLLECTIONS_PATH = `${OGC_PATH}/collections`;

/** The pages of features. */
export const ITEMS_ENDPOINTS: readonly FeaturesEndpoint[] = LEVELS.map((level) => ({
  path: `${COLLECTIONS_PATH}/${levelName(level)}/items`,
  level,
  format: 'fc',
  mediaType: MEDIA_TYPES.fc,
  parameters: ITEMS_PARAMETERS,
}));

/** The single features, whose paths go on with a fid. */
export const ITEM_ENDPOINTS: readonly FeaturesEndpoint[] = ITEMS_ENDPOINTS.map((items) => ({
  ...items,
  path: `${items.path}/`,
  parameters: ITEM_PARAMETERS,
}));

/** A link (OGC 17-069r4, section 7.7.1). */
export interface Link {
  href: string;
  rel: string;
  type: string;
  title?: string;
}

/** The registered relations of the OGC begin so. */
export const RELATIONS = 'http://www.opengis.net/def/rel/ogc/1.0/';
/** The media type of what JSON Schema describes a collection by. */
export const SCHEMA_TYPE = 'application/schema+json';

/**
 * The link to what the items of a level may be filtered by (OGC 19-079r2, section 6.1).
 * @param base URL of the service
 */
export function queryablesLink(level: Level, base: string): Link {
  const href = `${base}${COLLECTIONS_PATH}/${levelName(level)}/queryables`;
  return { href, rel: `${RELATIONS}queryables`, type: SCHEMA_TYPE, title: 'What to filter by' };
}

/** Links as the value of a header (RFC 8288). */
export function linkHeader(links: readonly Pick<Link, 'href' | 'rel'>[]): string {
  return links.map(({ href, rel }) => `<${href}>; rel="${rel}"`).join(', ');
}

/** The levels that are collections: those that have features. */
export function collectionsOf({ summaries }: LoadedRelease): LevelSummary[] {
  return summaries.filter(({ features }) => features > 0);
}

/** What release.json says of a level that is a collection. @throws Problem not-found if it has no features */
export function collectionOf(release: LoadedRelease, level: Level): LevelSummary {
  const summary = elementAt(release.summaries, level);
  if (summary.features > 0) return summary;
  const names = collectionsOf(release).map((known) => levelName(known.level));
  throw new Problem('not-found', `The collections of this release are ${names.join(', ')}.`);
}
