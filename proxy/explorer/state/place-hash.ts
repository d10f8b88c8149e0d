// A place as the fragment of an address, which is not sent to the server.

import type { About } from '../api/about.ts';
import { encode, filtersToQuery, inLanguage, queryToFilters, spotsToQuery } from '../api/page-request.ts';
import type { LevelColumns } from '../api/unit.ts';
import { isWorld, type Place, type View, worldOf } from './place.ts';

/** The width of the world at zoom 0. */
const WORLD_PIXELS = 512;

/**
 * The fragment of a place: `#lv1?gid-0=ESP&unit=ESP.1_1&map=5.20/40.100/-3.500`, empty for the world in its default
 * language.
 */
export function placeToHash(place: Place, { levels, lang }: Pick<About, 'levels' | 'lang'>) {
  const { level, filters, unit, fid, view } = place;
  const query = [...inLanguage({ lang }), ...filtersToQuery(filters), ...spotsToQuery(place)];
  if (unit !== undefined) query.push(`unit=${encode(unit)}`);
  if (fid !== undefined) query.push(`fid=${fid}`);
  if (view !== undefined) query.push(`map=${viewToText(view)}`);
  if (query.length === 0) return isWorld(place, levels) ? '' : `#lv${level}`;
  return `#lv${level}?${query.join('&')}`;
}

/**
 * Reads what `placeToHash` writes, and leaves out parameters that only earlier addresses had; anything else is the
 * world.
 */
export function hashToPlace(hash: string, levels: readonly LevelColumns[]): Place {
  const world = worldOf(levels);
  const [, level, query] = /^#lv([0-5])(?:\?(.*))?$/.exec(hash) ?? [];
  if (level === undefined) return world;
  const values = new URLSearchParams(query);
  const fid = Number(values.get('fid') ?? Number.NaN);
  return {
    level: Number(level),
    filters: queryToFilters(values),
    unit: values.get('unit') ?? undefined,
    fid: Number.isSafeInteger(fid) ? fid : undefined,
    view: textToView(values.get('map') ?? ''),
    bbox: values.get('bbox') ?? '',
    contains: values.get('contains') ?? '',
  };
}

/**
 * The language that an address asks for.
 * @returns its tag; empty where there is none
 */
export function hashToLanguage(hash: string): string {
  return new URLSearchParams(hash.split('?')[1]).get('lang') ?? '';
}

/** Names in the language of an address; that of a link to another release may not be there. */
export function inLanguageOf(hash: string, about: About): About {
  const lang = hashToLanguage(hash);
  return { ...about, lang: about.languages.includes(lang) ? lang : '' };
}

/**
 * Degrees have so many decimals that half of the last one is less than half a pixel of this zoom, as in the addresses
 * of MapLibre GL: four at zoom 12, six at 16.
 */
export function viewToText({ zoom, latitude, longitude }: View) {
  const zoomText = zoom.toFixed(2);
  const decimals = Math.max(0, Math.ceil(Number(zoomText) * Math.log10(2) + Math.log10(WORLD_PIXELS / 360 / 0.5)));
  return [zoomText, latitude.toFixed(decimals), longitude.toFixed(decimals)].join('/');
}

function textToView(text: string): View | undefined {
  if (!/^-?[\d.]+\/-?[\d.]+\/-?[\d.]+$/.test(text)) return undefined;
  const [zoom = 0, latitude = 0, longitude = 0] = text.split('/').map(Number);
  const isOnMap = Math.abs(zoom) <= 24 && Math.abs(latitude) <= 90 && Math.abs(longitude) <= 540;
  return isOnMap ? { zoom, latitude, longitude } : undefined;
}
