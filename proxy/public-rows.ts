// The rows that need no token: public files, health checks, and the metadata of the service. Used by handler.ts.

import { metadataPaths, metadataToAnswer, type ResourceMetadata } from './auth/resource-metadata.ts';
import type { PublicRow, PublicRows } from './bodies/row.ts';
import type { BaseUrl } from './http/base-url.ts';
import { codingFor } from './http/request.ts';
import { answerAlive, answerReady, type Readiness } from './operations/health.ts';
import { type Assets, assetToAnswer } from './site/asset.ts';

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
    ['/healthz', { path: '/healthz', isProbe: true, answer: answerAlive }],
    ['/readyz', { path: '/readyz', isProbe: true, answer: () => answerReady(parts) }],
  ];
  if (resourceMetadata !== undefined)
    for (const path of metadataPaths(publicUrl))
      rows.push([
        path,
        { path: 'metadata', answer: (request) => metadataToAnswer(resourceMetadata, baseUrl.of(request)) },
      ]);
  for (const [path, asset] of assets)
    rows.push([
      path,
      {
        path,
        answer({ headers }) {
          const file = typeof asset === 'function' ? asset(releases.requireCurrent(), releases) : asset;
          return assetToAnswer(file, codingFor(headers['accept-encoding']), audience);
        },
      },
    ]);
  return new Map(rows);
}
