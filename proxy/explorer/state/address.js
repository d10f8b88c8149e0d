// The page's address: a place as its fragment, and the token that a link may bring. A fragment is not sent to the
// server.
import { encode, filtersToQuery, queryToFilters, spotsToQuery } from '../api/page-request.js';
import { isWorld, worldOf } from './place.js';

/**
 * @typedef {import('./place.js').Place} Place
 * @typedef {import('./place.js').LevelColumns} LevelColumns
 */

/** The width of the world at zoom 0. */
const WORLD_PIXELS = 512;

/**
 * The fragment of a place: `#lv1?gid-0=ESP&unit=ESP.1_1&map=5.20/40.100/-3.500`, empty for the world.
 * @param {Place} place
 * @param {readonly LevelColumns[]} levels
 */
export function placeToHash(place, levels) {
  const { level, filters, unit, fid, view } = place;
  const query = [...filtersToQuery(filters), ...spotsToQuery(place)];
  if (unit !== undefined) query.push(`unit=${encode(unit)}`);
  if (fid !== undefined) query.push(`fid=${fid}`);
  if (view !== undefined) query.push(`map=${viewToText(view)}`);
  if (query.length === 0) return isWorld(place, levels) ? '' : `#lv${level}`;
  return `#lv${level}?${query.join('&')}`;
}

/**
 * Reads what `placeToHash` writes, and leaves out parameters that only earlier addresses had; anything else is the
 * world.
 * @param {string} hash
 * @param {readonly LevelColumns[]} levels
 * @returns {Place}
 */
export function hashToPlace(hash, levels) {
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
 * The token of `#token=...`, which leaves the address at once, so that a copied address does not have it. The browser
 * keeps the link in its history on disk all the same: only development tokens of one machine come in links.
 * @returns {string | undefined} empty for a token that cannot be decoded; undefined without one
 */
export function takeToken() {
  const [, encoded] = /^#token=([^&]*)/.exec(location.hash) ?? [];
  if (encoded === undefined) return undefined;
  history.replaceState(null, '', addressOf(''));
  try {
    return decodeURIComponent(encoded);
  } catch {
    return '';
  }
}

/**
 * Puts a place into the address.
 * @param {string} hash
 * @param {'push' | 'replace'} how
 */
export function writeHash(hash, how) {
  if (location.hash === hash) return;
  if (how === 'push') history.pushState(null, '', addressOf(hash));
  else history.replaceState(null, '', addressOf(hash));
}

/** @param {string} hash */
function addressOf(hash) {
  return `${location.pathname}${location.search}${hash}`;
}

/**
 * Degrees have so many decimals that half of the last one is less than half a pixel of this zoom, as in the addresses
 * of MapLibre GL: four at zoom 12, six at 16.
 * @param {import('./place.js').View} view
 */
function viewToText({ zoom, latitude, longitude }) {
  const zoomText = zoom.toFixed(2);
  const decimals = Math.ceil(Number(zoomText) * Math.log10(2) + Math.log10(WORLD_PIXELS / 360 / 0.5));
  return [zoomText, latitude.toFixed(decimals), longitude.toFixed(decimals)].join('/');
}

/**
 * @param {string} text
 * @returns {import('./place.js').View | undefined}
 */
function textToView(text) {
  if (!/^-?[\d.]+\/-?[\d.]+\/-?[\d.]+$/.test(text)) return undefined;
  const [zoom = 0, latitude = 0, longitude = 0] = text.split('/').map(Number);
  const isOnMap = Math.abs(zoom) <= 24 && Math.abs(latitude) <= 90 && Math.abs(longitude) <= 540;
  return isOnMap ? { zoom, latitude, longitude } : undefined;
}
