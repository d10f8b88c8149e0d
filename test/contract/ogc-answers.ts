// What answers of OGC API - Features have, and where they are.
import assert from 'node:assert/strict';
import { elementAt } from '../../format/element-at.ts';
import { type Level, levelName } from '../../format/levels.ts';
import type { StoredLevel } from '../support/datasets/large-dataset.ts';
import { type Answer, type Sent, send, type Target, textOf } from '../support/http/http-client.ts';

export const ROOT = '/api/v1/ogc';
export const GEOJSON = 'application/geo+json';

export interface Link {
  href: string;
  rel: string;
  type: string;
  title?: string;
}
/** A feature of a page, or by itself. */
export interface Feature {
  id: number;
  properties?: Record<string, unknown>;
  bbox?: number[];
  links?: Link[];
}
export interface Page {
  type: string;
  features: Feature[];
  numberMatched: number;
  numberReturned: number;
  links: Link[];
}

/** Asks a service; `json` and `page` for what is answered with 200, parsed. */
export function ogcOf(service: Target) {
  const get = (path: string, headers: Sent = {}, method = 'GET'): Promise<Answer> =>
    send(service, path, headers, method);
  const json = async <T>(path: string, mediaType = 'application/json'): Promise<T> => {
    const answer = await get(path, { 'accept-encoding': 'gzip' });
    assert.deepEqual([answer.status, answer.headers['content-type']], [200, mediaType], path);
    return JSON.parse(textOf(answer));
  };
  const page = (query: string, level: Level = 2): Promise<Page> => json(`${itemsOf(level)}?${query}`, GEOJSON);
  return { get, json, page };
}

export function itemsOf(level: Level): string {
  return `${ROOT}/collections/${levelName(level)}/items`;
}

export function featuresOf(stored: readonly StoredLevel[], level: Level): Feature[] {
  return elementAt(stored, level).lines.map((line) => JSON.parse(line));
}

export function idsOf({ features }: Page): number[] {
  return features.map(({ id }) => id);
}

export function pathOf(links: readonly Link[], wanted: string): string {
  const [link, ...others] = links.filter(({ rel }) => rel === wanted);
  assert.ok(link !== undefined && others.length === 0, wanted);
  const { pathname, search } = new URL(link.href);
  return pathname + search;
}
