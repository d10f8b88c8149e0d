// The credits of published boundary datasets, recognised by their columns and names: the attribution of a release unless
// --attribution says otherwise.
import { basename } from 'node:path';

/** A dataset's credit, with its licence. */
interface KnownDataset {
  credit: string;
  /** Its licence, if all of it has the same: an SPDX identifier or a URL. */
  licence?: string;
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
    matches: (_layer, _file, has) => has('shapeGroup', 'shapeID', 'shapeType'),
  },
  {
    credit: '© EuroGeographics for the administrative boundaries (NUTS, Eurostat GISCO; non-commercial use)',
    licence: 'https://ec.europa.eu/eurostat/web/gisco/geodata/administrative-units',
    matches: (_layer, _file, has) => has('NUTS_ID', 'LEVL_CODE'),
  },
  {
    credit: 'OCHA Common Operational Datasets, https://data.humdata.org (licence: see the page of the dataset)',
    matches: (_layer, _file, has) => has('ADM0_PCODE') || has('ADM1_PCODE'),
  },
];

/** The credit of the dataset that a layer is of; undefined if it is not known. @param columns of the source */
export function knownCredit(path: string, layer: string, columns: readonly string[]): string | undefined {
  const names = new Set(columns.map((name) => name.toLowerCase()));
  const has = (...wanted: readonly string[]): boolean => wanted.every((name) => names.has(name.toLowerCase()));
  // The name of an archive counts, too: /vsizip/gadm41_NPL_shp.zip/a.shp.
  const file = path.split('/').findLast((part) => /gadm|^ne_/i.test(part)) ?? basename(path);
  return KNOWN.find(({ matches }) => matches(layer, file, has))?.credit;
}

/** The licence of recognised datasets; undefined if it is not known, or they have several. */
export function knownLicence(credits: readonly string[]): string | undefined {
  const [licence, ...others] = new Set(
    credits.map((credit) => KNOWN.find((known) => known.credit === credit)?.licence),
  );
  return others.length === 0 ? licence : undefined;
}
