// The sample's level 0: every country and territory of Natural Earth, by way of world-atlas.
import { numericToAlpha3 } from 'i18n-iso-countries/index.js';
import { areasOf, compare, readAtlas } from './atlas.ts';
import type { SampleUnit } from './units.ts';

/** As Natural Earth's terms of use suggest. */
export const WORLD_ATTRIBUTION = 'Countries: Made with Natural Earth (naturalearthdata.com), public domain';

/**
 * Codes for what ISO 3166-1 does not know, by Natural Earth's names. GADM's where it has one; the others are numbered as
 * GADM numbers disputed areas. The second area under Australia's number comes here too: GIDs are unique.
 */
const CODES_BEYOND_ISO: Readonly<Record<string, string>> = {
  Akrotiri: 'XAD',
  'Ashmore and Cartier Is.': 'Z01',
  Baikonur: 'Z02',
  'Bajo Nuevo Bank': 'Z03',
  'Clipperton I.': 'XCL',
  'Coral Sea Is.': 'Z04',
  'Cyprus U.N. Buffer Zone': 'Z05',
  Dhekelia: 'Z06',
  'Indian Ocean Ter.': 'Z07',
  Kosovo: 'XKO',
  'N. Cyprus': 'ZNC',
  'Scarborough Reef': 'Z08',
  'Serranilla Bank': 'Z09',
  'Siachen Glacier': 'Z10',
  Somaliland: 'Z11',
  'Spratly Is.': 'XSP',
  'USNB Guantanamo Bay': 'Z12',
};

/** The countries in order of GID. */
export function worldUnits(): SampleUnit[] {
  const atlas = readAtlas('world-atlas/countries-10m.json');
  const units = areasOf(atlas, 'countries').map((area): SampleUnit => {
    const gid = CODES_BEYOND_ISO[area.name] ?? numericToAlpha3(area.code);
    if (gid === undefined) throw new Error(`${atlas.file}: ${area.name} (${area.code}) has no alpha-3 code`);
    return { atlas, area, lineage: [{ gid, name: area.name }], type: '', engtype: '' };
  });
  return units.sort((a, b) => compare(a.lineage[0]?.gid ?? '', b.lineage[0]?.gid ?? ''));
}
