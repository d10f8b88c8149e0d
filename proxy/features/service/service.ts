// What the service says of itself to programs: GET /api/v1/, and what of that anybody may know, which is in about.json.

import type { LevelSummary } from '../../../format/level-json.ts';
import { FORMATS, GEOMETRIES, type Level, levelName } from '../../../format/levels.ts';
import { LIGHT_CAPS, PAGE_CAPS } from '../../../format/page-caps.ts';
import { type Answer, type Representation, tagOf } from '../../bodies/answer.ts';
import type { FixedHeaders } from '../../bodies/headers.ts';
import type { Sources } from '../../bodies/row.ts';
import { textAnswer } from '../../bodies/text-answer.ts';
import type { Releases } from '../../data/hosted-releases.ts';
import type { LoadedRelease } from '../../data/loaded-release.ts';
import { API_PATH } from '../../http/request.ts';
import { type Link, OGC_PATH } from '../items/item-paths.ts';
import { licenceLinks } from '../ogc/collection.ts';
import { hasExactBoxes } from '../places/level-places.ts';

/** The path that describes the service. */
export const SERVICE_ENDPOINT = { path: `${API_PATH}/`, mediaType: 'application/json' } as const;

/**
 * What of the source and of data quality is listed at most: release.json may name 20,000 files, and has long texts.
 * Each kind of finding is there once a level.
 */
const SOURCES_MAX = 100;
const FINDINGS_MAX = 250;
const TEXT_MAX_CHARS = 500;

const JSON_TYPE = 'application/json';
const HTML_TYPE = 'text/html';

/**
 * The answer with the description. The response cache does not keep it: which releases are hosted changes without the
 * current one.
 */
export function answerService(
  { path }: typeof SERVICE_ENDPOINT,
  fixed: FixedHeaders,
  representation: Representation,
  { releases, hasExplorer = false }: Sources,
): Answer {
  const { release, base } = representation;
  const pages = [
    { href: `${base}/docs`, rel: 'service-doc', type: HTML_TYPE, title: 'Documentation' },
    { href: `${base}/`, rel: 'related', type: HTML_TYPE, title: 'Explorer' },
  ];
  const links: Link[] = [
    { href: base + path, rel: 'self', type: JSON_TYPE },
    { href: `${base}/openapi.json`, rel: 'service-desc', type: JSON_TYPE, title: 'OpenAPI 3.1' },
    { href: base + OGC_PATH, rel: 'related', type: JSON_TYPE, title: 'OGC API - Features' },
    ...(hasExplorer ? pages : []),
    ...licenceLinks(release),
  ];
  const text = `${JSON.stringify({ ...serviceMembers(release, releases, true), links })}\n`;
  return { ...textAnswer(fixed, representation, tagOf(text), text), representation: undefined };
}

/**
 * What is known of a release and its levels.
 * @param isWhole not for those who may not ask for the data: they are told neither which releases are hosted, nor how
 * many units there are and where
 */
export function serviceMembers(
  release: LoadedRelease,
  { hosted, members }: Pick<Releases, 'hosted' | 'members'>,
  isWhole: boolean,
): object {
  const { id, digest, date = null, attribution, licence = null, geometries, precision, summaries, quality } = release;
  const { languages } = release;
  return {
    release: id,
    digest,
    date,
    ...(isWhole && { releases: hosted }),
    attribution,
    license: licence,
    citation: citationOf(release),
    ...(isWhole && { sources: sourcesOf(release), quality: qualityOf(release) }),
    geometries,
    precision,
    tiles: summaries.some(({ tiles }) => tiles !== undefined),
    changes: members['changes'] !== undefined,
    languages,
    levels: summaries
      .filter(({ features }) => features > 0)
      .map((summary) => ({
        level: levelName(summary.level),
        ...(isWhole && { features: summary.features, orphans: summary.orphans }),
        // What `bbox` compares.
        bbox: hasExactBoxes(summary, quality) ? 'exact' : 'boxes',
        ...(isWhole && { extent: summary.extent ?? null }),
        columns: columnsOf(summary),
        ...(summary.typeName !== undefined && { typeName: summary.typeName }),
        caps: capsOf(summary.level, release),
        attribution: summary.attribution ?? attribution,
        // The share of the level's borders that the next level has, too.
        nesting: summary.nesting,
      })),
  };
}

/** How a text or a table names its data: whose it is, which release of it, and the digest by which it is known again. */
function citationOf({ id, digest, date, attribution, licence }: LoadedRelease): string {
  const owners = attribution.length === 0 ? '' : `${attribution.join('; ')}. `;
  const release = `Administrative boundaries, release ${id}${date === undefined ? '' : ` (${date})`}.`;
  const terms = licence === undefined ? '' : ` Licence: ${licence}.`;
  return `${owners}${release}${terms} SHA-256 of release.json: ${digest}.`;
}

/** The files that the release was made of; bytes and digest are null where they are not known, as of a database. */
function sourcesOf({ source }: LoadedRelease): object[] {
  return source
    .slice(0, SOURCES_MAX)
    .map(({ name, bytes = null, sha256 = null }) => ({ name: cut(name), bytes, sha256: sha256 && cut(sha256) }));
}

/** What the build found in the data. */
function qualityOf({ quality }: LoadedRelease): object[] {
  return quality.slice(0, FINDINGS_MAX).map(({ level, kind, count, example }) => ({
    level: levelName(level),
    kind: cut(kind),
    count,
    example: cut(example),
  }));
}

function cut(text: string): string {
  return text.length > TEXT_MAX_CHARS ? `${text.slice(0, TEXT_MAX_CHARS)}…` : text;
}

/** The names of the properties of the units; null where there is none. */
function columnsOf(summary: LevelSummary): object {
  const { level, gidColumns, nameColumn, typeColumn, nameColumns = {}, codeColumns = {} } = summary;
  const columns = gidColumns.map(nameOrNull);
  return {
    gid: columns[level],
    name: nameOrNull(nameColumn),
    type: nameOrNull(typeColumn),
    parents: columns.slice(0, level),
    names: nameColumns,
    codes: codeColumns,
  };
}

function nameOrNull(name: string): string | null {
  return name === '' ? null : name;
}

/** The most units of a page: by format, and of the light geometries in any format. */
function capsOf(level: Level, { geometries }: LoadedRelease): object {
  const byFormat = FORMATS.map((format) => [format, PAGE_CAPS[format][level]] as const);
  const light = GEOMETRIES.filter((geometry) => geometries.includes(geometry) && LIGHT_CAPS[geometry] !== undefined);
  return Object.fromEntries([...byFormat, ...light.map((geometry) => [geometry, LIGHT_CAPS[geometry]] as const)]);
}
