// The sample's level 0: every country and territory of Natural Earth, from world-atlas, with names and codes of
// i18n-iso-countries.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { numericToAlpha2, numericToAlpha3 } from 'i18n-iso-countries/index.js';
import { type JsonObject, objectFrom } from '../../format/parse.ts';
import { areasOf, compare, readAtlas } from './atlas.ts';
import { FULL_NAMES } from './country-names.ts';
import { countryGid, LANGUAGES, type SampleUnit } from './units.ts';

/** As Natural Earth's terms of use suggest. */
export const WORLD_ATTRIBUTION = 'Countries: Made with Natural Earth (naturalearthdata.com), public domain';

/**
 * Codes for areas without an ISO 3166-1 code, by Natural Earth's names: GADM's code if there is one, otherwise a number
 * in GADM's scheme for disputed areas. Also for the second area with Australia's number, because GIDs must be unique.
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
  const names = LANGUAGES.map(countryNames);
  const units = areasOf(atlas, 'countries').map((area): SampleUnit => {
    const beyond = CODES_BEYOND_ISO[area.name];
    const gid = beyond ?? numericToAlpha3(area.code);
    if (gid === undefined) throw new Error(`${atlas.file}: ${area.name} (${area.code}) has no alpha-3 code`);
    const code = beyond === undefined ? numericToAlpha2(area.code) : undefined;
    const further = [code ?? null, ...names.map((namesIn) => (code === undefined ? null : nameIn(namesIn, code)))];
    return {
      atlas,
      area,
      lineage: [{ gid, name: FULL_NAMES[area.name] ?? area.name }],
      type: '',
      engtype: '',
      further,
    };
  });
  return units.sort((a, b) => compare(countryGid(a), countryGid(b)));
}

/** The names of countries in a language, by their ISO 3166-1 alpha-2 codes. */
function countryNames(language: string): JsonObject {
  const file = `i18n-iso-countries/langs/${language}.json`;
  const text = readFileSync(createRequire(import.meta.url).resolve(file), 'utf8');
  return objectFrom(objectFrom(text, file)['countries'], `${file} countries`);
}

/** The name of a country, of several the first; null if there is none. */
function nameIn(names: JsonObject, code: string): string | null {
  const own = names[code];
  const [first] = Array.isArray(own) ? own : [own];
  return typeof first === 'string' ? first : null;
}
