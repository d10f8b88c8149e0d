// /about.json: what anybody may know of the service and its release, without a token.
import { LIGHT_CAPS, PAGE_CAPS } from '../../format/page-caps.ts';
import { serviceMembers } from '../features/service/service.ts';
import { makeAsset, type ReleaseAsset } from './asset.ts';
import { type DescribedService, INFO } from './openapi/document.ts';

/** Its path. */
export const ABOUT_PATH = '/about.json';

/** A service whose page says which sites may show its map. */
export interface ToldService extends Pick<DescribedService, 'title' | 'audience'> {
  /** Their origins; without any, /embed is not there. */
  embedOrigins?: readonly string[] | undefined;
}

/**
 * Title and version of the service, what anybody may know of its release, whether that has cells, the caps of all
 * levels, and the sites that may embed its map.
 */
export function aboutAsset({ title, audience, embedOrigins = [] }: ToldService): ReleaseAsset {
  return (release, releases) => {
    const about = {
      title,
      version: INFO.version,
      ...serviceMembers(release, releases, audience === 'public'),
      cells: release.summaries.some((level) => level.cells !== undefined),
      caps: PAGE_CAPS,
      lightCaps: LIGHT_CAPS,
      ...(embedOrigins.length > 0 && { embedOrigins }),
    };
    return makeAsset('application/json', `${JSON.stringify(about)}\n`);
  };
}
