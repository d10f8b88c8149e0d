// Links of OGC API - Features, as its documents, pages and features have them.
import type { LoadedRelease } from '../releases/load-release.ts';

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
