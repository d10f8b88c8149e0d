// The file that is saved: what is shown as GeoJSON, as lines of GeoJSON, or its properties as CSV. Each unit is written
// as it was received, so that numbers keep all their digits.
import { featuresToCsv } from './csv.js';

/**
 * What is in the file.
 * @typedef {object} Content
 * @property {readonly string[]} features each as GeoJSON text, in order of fid
 * @property {number} matched how many units the listing has in all
 * @property {string} release
 * @property {number} level
 * @property {readonly string[]} parents GIDs of the units that the listing is limited to
 * @property {readonly string[]} attribution
 * @property {string} [geometry] of the service, which the name of the file has unless it is `full`
 * @property {boolean} [isAllLevels] are they the units of this level and of all below?
 *
 * A file as parts, which are not joined: they may be as large as the browser's memory permits.
 * @typedef {{ name: string, type: string, parts: (string | Blob)[] }} UnitsFile
 */

const NAME_MAX = 120;

/**
 * A FeatureCollection; its other members say how complete it is, as in OGC API Features, and whose data it is.
 * @param {Content} content
 * @returns {UnitsFile}
 */
export function toGeoJson(content) {
  const { features, matched, attribution } = content;
  const members = { numberMatched: matched, numberReturned: features.length, attribution };
  const head = `{"type":"FeatureCollection",${JSON.stringify(members).slice(1, -1)},"features":[\n`;
  const parts = features.map((feature, i) => (i === 0 ? feature : `,\n${feature}`));
  return { name: fileName(content, 'geojson'), type: 'application/geo+json', parts: [head, ...parts, '\n]}\n'] };
}

/**
 * One Feature a line, as the service sends it. Not with the record separators of RFC 8142: GDAL and QGIS read both, but
 * jq, pandas, DuckDB and every loop over lines only this.
 * @param {Content} content
 * @returns {UnitsFile}
 */
export function toGeoJsonLines(content) {
  const parts = content.features.map((feature) => `${feature}\n`);
  return { name: fileName(content, 'geojsonl'), type: 'application/x-ndjson', parts };
}

/**
 * A table, with longitude and latitude where the geometries are points.
 * @param {Content} content
 * @returns {UnitsFile}
 */
export function toCsv(content) {
  const parts = featuresToCsv(content.features, { hasPoints: content.geometry === 'point' });
  return { name: fileName({ ...content, geometry: 'full' }, 'csv'), type: 'text/csv;charset=utf-8', parts };
}

/**
 * Such as `gadm-4.1-lv2-ESP.csv`, or `gadm-4.1-lv2-ESP-part-400-of-8212.csv` where the listing has more.
 * @param {Content} content
 * @param {string} extension
 */
function fileName(content, extension) {
  const { features, matched, release, level, parents } = content;
  const { geometry = 'full', isAllLevels = false } = content;
  const part = features.length === matched ? [] : [`part-${features.length}-of-${matched}`];
  const name = [release, isAllLevels ? 'all-levels' : `lv${level}`, ...parents]
    .join('-')
    .replaceAll(/[^\p{L}\p{N}._-]+/gu, '_');
  return `${[name.replace(/^\.+/, '').slice(0, NAME_MAX), ...(geometry === 'full' ? [] : [geometry]), ...part].join('-')}.${extension}`;
}
