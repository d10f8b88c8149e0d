// The file that is saved: what is shown as GeoJSON, as lines of GeoJSON, or its properties as CSV. Each unit is written
// as it was received, so that numbers keep all their digits.
import { featuresToCsv } from './csv.ts';

/** What is in the file. */
export interface Content {
  /** Each as GeoJSON text, in order of fid. */
  features: readonly string[];
  /** How many units the listing has in all. */
  matched: number;
  release: string;
  level: number;
  /** GIDs of the units that the listing is limited to. */
  parents: readonly string[];
  attribution: readonly string[];
  /** Of the service, which the name of the file has unless it is `full` */
  geometry?: string;
  /** Are they the units of this level and of all below? */
  isAllLevels?: boolean;
}

/** A file as parts, which are not joined: they may be as large as the browser's memory permits. */
export type UnitsFile = { name: string; type: string; parts: (string | Blob)[] };

const NAME_MAX = 120;

/** A FeatureCollection; its other members say how complete it is, as in OGC API Features, and whose data it is. */
export function toGeoJson(content: Content): UnitsFile {
  const { features, matched, attribution } = content;
  const members = { numberMatched: matched, numberReturned: features.length, attribution };
  const head = `{"type":"FeatureCollection",${JSON.stringify(members).slice(1, -1)},"features":[\n`;
  const parts = features.map((feature, i) => (i === 0 ? feature : `,\n${feature}`));
  return { name: fileName(content, 'geojson'), type: 'application/geo+json', parts: [head, ...parts, '\n]}\n'] };
}

/**
 * One Feature a line, as the service sends it. Not with the record separators of RFC 8142: GDAL and QGIS read both, but
 * jq, pandas, DuckDB and every loop over lines only this.
 */
export function toGeoJsonLines(content: Content): UnitsFile {
  const parts = content.features.map((feature) => `${feature}\n`);
  return { name: fileName(content, 'geojsonl'), type: 'application/x-ndjson', parts };
}

/** A table, with longitude and latitude where the geometries are points. */
export function toCsv(content: Content): UnitsFile {
  const parts = featuresToCsv(content.features, { hasPoints: content.geometry === 'point' });
  return { name: fileName({ ...content, geometry: 'full' }, 'csv'), type: 'text/csv;charset=utf-8', parts };
}

/** Such as `gadm-4.1-lv2-ESP.csv`, or `gadm-4.1-lv2-ESP-part-400-of-8212.csv` where the listing has more. */
function fileName(content: Content, extension: string) {
  const { features, matched, release, level, parents } = content;
  const { geometry = 'full', isAllLevels = false } = content;
  const part = features.length === matched ? [] : [`part-${features.length}-of-${matched}`];
  const name = safeName([release, isAllLevels ? 'all-levels' : `lv${level}`, ...parents]);
  return `${[name, ...(geometry === 'full' ? [] : [geometry]), ...part].join('-')}.${extension}`;
}

/** Texts as the name of a file. */
export function safeName(texts: readonly string[]) {
  const name = texts.join('-').replaceAll(/[^\p{L}\p{N}._-]+/gu, '_');
  return name.replace(/^\.+/, '').slice(0, NAME_MAX);
}
