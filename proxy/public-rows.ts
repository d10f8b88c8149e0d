// The rows that need no token: public files, health checks, and the metadata of the service.

import { metadataPaths, metadataToAnswer, type ResourceMetadata } from './auth/resource-metadata.ts';
import type { PublicRow, PublicRows } from './bodies/row.ts';
import type { Releases } from './data/hosted-releases.ts';
import type { BaseUrl } from './http/base-url.ts';
import { codingFor } from './http/request.ts';
import { answerAlive, answerReady, PROBE_PATHS, type Readiness } from './operations/health.ts';
import { type Asset, type Assets, assetToAnswer, type ReleaseAsset } from './site/asset.ts';

/** What the rows are made of. */
export interface PublicParts extends Readiness {
  /** Files that need no token. */
  assets: Assets;
  /** Undefined if no issuer is a URL. */
  resourceMetadata: ResourceMetadata | undefined;
  baseUrl: BaseUrl;
  /** Base URL of the service if it is configured. */
  publicUrl: string | undefined;
}

/** The rows of a service. */
export function publicRows(parts: PublicParts): PublicRows {
  const { assets, resourceMetadata, baseUrl, publicUrl, releases, audience } = parts;
  const rows: [string, PublicRow][] = [
    [PROBE_PATHS.alive, { path: PROBE_PATHS.alive, isProbe: true, answer: answerAlive }],
    [PROBE_PATHS.ready, { path: PROBE_PATHS.ready, isProbe: true, answer: () => answerReady(parts) }],
  ];
  if (resourceMetadata !== undefined)
    for (const path of metadataPaths(publicUrl))
      rows.push([
        path,
        { path: 'metadata', answer: (request) => metadataToAnswer(resourceMetadata, baseUrl(request)) },
      ]);
  for (const [path, asset] of assets) {
    const file = typeof asset === 'function' ? keptAsset(asset, releases) : () => asset;
    rows.push([
      path,
      { path, answer: ({ headers }) => assetToAnswer(file(), codingFor(headers['accept-encoding']), audience) },
    ]);
  }
  return new Map(rows);
}

/** A file that is made again only when there is another current release, or others are published. */
function keptAsset(make: ReleaseAsset, releases: Releases): () => Asset {
  // Not the release itself: it would stay in memory after the next one has come.
  let kept: { asset: Asset; digest: string; members: object; hosted: string } | undefined;
  return () => {
    const release = releases.requireCurrent();
    const { digest } = release;
    const { members } = releases;
    const hosted = releases.hosted.join();
    if (kept?.digest !== digest || kept.members !== members || kept.hosted !== hosted)
      kept = { asset: make(release, releases), digest, members, hosted };
    return kept.asset;
  };
}
