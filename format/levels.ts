// The constants of the service: levels, formats, media types, and the text around features.

/** Administrative level, 0 (countries) to 5 (the smallest units). */
export type Level = 0 | 1 | 2 | 3 | 4 | 5;

/** Every level, ascending. */
export const LEVELS: readonly Level[] = [0, 1, 2, 3, 4, 5];

/** `geojsonl` is one GeoJSON Feature per line; `fc` is one FeatureCollection. */
export type Format = 'geojsonl' | 'fc';

/** Every format, in the order in which manifests list them. */
export const FORMATS: readonly Format[] = ['geojsonl', 'fc'];

/** The geometries of a unit: as published, simplified to about 100 m and 1 km, a point inside it, or none. */
export type Geometry = 'full' | 'medium' | 'low' | 'point' | 'none';

/** Every geometry, from most to least text. */
export const GEOMETRIES: readonly Geometry[] = ['full', 'medium', 'low', 'point', 'none'];

/** The geometries besides the full one: each has feature files of its own, and no stored pages. */
export const OTHER_GEOMETRIES: readonly Geometry[] = GEOMETRIES.slice(1);

/** Features in each feature file but the last of a level, by level: few on levels of large units, many otherwise. */
export const FEATURES_PER_FILE: readonly [number, number, number, number, number, number] = [
  100, 100, 1000, 1000, 1000, 1000,
];

/** Which pages a release stores: those of every listing, those of the unfiltered listings alone, or none. */
export type StoredPages = 'all' | 'unfiltered' | 'none';

/** Every choice, from most pages to none. */
export const STORED_PAGES: readonly StoredPages[] = ['all', 'unfiltered', 'none'];

/** The Content-Type of each format's pages. */
export const MEDIA_TYPES: Readonly<Record<Format, string>> = {
  geojsonl: 'application/x-ndjson',
  fc: 'application/geo+json',
};

/** The ending of each format's page files; feature files end as geojsonl pages do. */
export const PAGE_ENDINGS: Readonly<Record<Format, string>> = {
  geojsonl: 'geojsonl.gz',
  fc: 'json.gz',
};

/**
 * The text around the features of a body. After each feature comes one character: after the last a line feed, which is
 * white space in JSON, after the others the separator. So the compressed bytes of a feature serve in either format, but
 * for one.
 */
export const FRAMES: Readonly<Record<Format, { before: string; separator: string; after: string }>> = {
  geojsonl: { before: '', separator: '\n', after: '' },
  fc: { before: '{"type":"FeatureCollection","features":[\n', separator: ',', after: ']}\n' },
};

/** `lv0` .. `lv5`, as in URLs and paths. */
export function levelName(level: Level): string {
  return `lv${level}`;
}
