// The credits and licences of published boundary datasets, recognised by their columns and names: those of a release
// unless --attribution and --licence say otherwise.
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { FormatError, objectFrom } from '../../format/parse.ts';
import { BuildError } from '../report/errors.ts';
import type { LevelLayer } from './level-source.ts';

/** A dataset's credit, with its licence. */
export interface DatasetCredit {
  credit: string;
  /** Its licence, if all of it has the same: an SPDX identifier or a URL. */
  licence?: string | undefined;
}

interface KnownDataset extends DatasetCredit {
  /** Does each download have metadata with a licence of its own? */
  hasLicences?: boolean;
  /** Is a layer one of this dataset? @param has does the layer have these columns? */
  matches(layer: string, file: string, has: (...columns: readonly string[]) => boolean): boolean;
}

const KNOWN: readonly KnownDataset[] = [
  {
    credit: 'GADM, https://gadm.org/license.html (academic and other non-commercial use; no redistribution)',
    licence: 'https://gadm.org/license.html',
    matches: (_, file, has) =>
      (/gadm/i.test(file) && has('GID_0')) || has('GID_1', 'NL_NAME_1') || has('ID_0', 'ISO', 'NAME_0'),
  },
  {
    credit: 'Made with Natural Earth, https://www.naturalearthdata.com (public domain)',
    licence: 'https://www.naturalearthdata.com/about/terms-of-use/',
    matches: (layer, file, has) => /^ne_\d+m_/i.test(layer) || /^ne_\d+m_/i.test(file) || has('NE_ID', 'ADM0_A3'),
  },
  {
    credit: 'geoBoundaries, https://www.geoboundaries.org (CC BY 4.0)',
    licence: 'CC-BY-4.0',
    hasLicences: true,
    matches: (_layer, _file, has) => has('shapeGroup', 'shapeID', 'shapeType'),
  },
  {
    credit: '© EuroGeographics for the administrative boundaries (NUTS, Eurostat GISCO; non-commercial use)',
    licence: 'https://ec.europa.eu/eurostat/web/gisco/geodata/administrative-units',
    matches: (_layer, _file, has) => has('NUTS_ID', 'LEVL_CODE'),
  },
  {
    credit: 'OCHA Common Operational Datasets, https://data.humdata.org (licence: see the page of the dataset)',
    matches: (_layer, _file, has) =>
      ['ADM0_PCODE', 'ADM1_PCODE', 'admin0Pcode', 'admin1Pcode', 'admin0Pcod', 'admin1Pcod'].some((name) => has(name)),
  },
];

/**
 * The credit and licence of the dataset that a layer is of, as its metadata states them; none if it is not known.
 * @param columns of the source
 * @param stated by the metadata in the source
 */
export function knownDatasets(
  { path, layer }: LevelLayer,
  columns: readonly string[],
  stated: readonly StatedLicence[],
): DatasetCredit[] {
  const names = new Set(columns.map((name) => name.toLowerCase()));
  const has = (...wanted: readonly string[]): boolean => wanted.every((name) => names.has(name.toLowerCase()));
  // The name of an archive counts, too: /vsizip/gadm41_NPL_shp.zip/a.shp.
  const file = path.split('/').findLast((part) => /gadm|^ne_/i.test(part)) ?? basename(path);
  const known = KNOWN.find(({ matches }) => matches(layer, file, has));
  if (known === undefined) return [];
  if (!known.hasLicences || stated.length === 0) return [known];
  return stated.map(({ text, licence }) => ({ credit: known.credit.replace(/\(.*\)/, () => `(${text})`), licence }));
}

/** A licence in the metadata of a download. */
export interface StatedLicence {
  text: string;
  /** An SPDX identifier or a URL; undefined if the metadata has none that is known. */
  licence: string | undefined;
}

/**
 * The licence of a download whose metadata does not say it, or lies in an archive, of which GDAL reads no such file.
 */
export const UNREAD_LICENCE: StatedLicence = { text: 'licence: see its metadata', licence: undefined };

/** SPDX identifiers by the names that geoBoundaries uses. */
const SPDX: readonly [name: RegExp, id: string][] = [
  [/open database licen[cs]e|\bodbl\b/i, 'ODbL-1.0'],
  [/\bCC0\b/i, 'CC0-1.0'],
];

/** The licence in a `geoBoundaries-*-metaData.json`. @throws BuildError if it is not JSON */
export function licenceIn(file: string): StatedLicence {
  try {
    const { boundaryLicense, licenseSource } = objectFrom(readFileSync(file, 'utf8'), file);
    const text = typeof boundaryLicense === 'string' ? boundaryLicense : UNREAD_LICENCE.text;
    // Some addresses lack the colon.
    const url = String(licenseSource).replace(/^(https?):?\/\//, '$1://');
    const named = SPDX.find(([name]) => name.test(text))?.[1] ?? creativeCommons(text);
    return { text, licence: named ?? (/^https?:\/\/\S+$/.test(url) ? url : undefined) };
  } catch (error) {
    if (!(error instanceof FormatError)) throw error;
    throw new BuildError(error.message, 'download it again, or remove it');
  }
}

/** The SPDX identifier of e.g. `Creative Commons Attribution 4.0 International (CC BY 4.0)`. */
function creativeCommons(text: string): string | undefined {
  const [version] = /\b\d\.\d\b/.exec(text) ?? [];
  if (version === undefined || !/\bCC[ -]BY\b|creative commons attribution/i.test(text)) return undefined;
  const parts: [string, RegExp][] = [
    ['-NC', /\bNC\b|non-?commercial/i],
    ['-SA', /\bSA\b|share-?alike/i],
    ['-ND', /\bND\b|no-?deriv/i],
  ];
  const terms = parts.filter(([, name]) => name.test(text)).map(([part]) => part);
  return `CC-BY${terms.join('')}-${version}${/\bIGO\b|intergovernmental/i.test(text) ? '-IGO' : ''}`;
}
