// The sample's Spain: autonomous communities, provinces and municipalities of the Instituto Geográfico Nacional, by way
// of es-atlas.

import { type Area, areasOf, parentNumbers, readAtlas } from './atlas.ts';
import { type Kind, type Lineage, type SampleUnit, unitsUnder } from './units.ts';

/** CC BY 4.0 requires the author, the licence and an indication of changes. */
export const SPAIN_ATTRIBUTION =
  'Regions, provinces and municipalities of Spain: derived from boundaries CC BY 4.0 Instituto Geográfico Nacional de España (ign.es), simplified by es-atlas';

const COUNTRY = 'ESP';
/** Gibraltar: a community and a province in the atlas, but a country at level 0 here. */
const OUTSIDE: ReadonlySet<string> = new Set(['20', '54', '54006']);
/** Ceuta and Melilla, as communities and as provinces. */
const CITIES: ReadonlySet<string> = new Set(['18', '19']);
const CITIES_AS_PROVINCES: ReadonlySet<string> = new Set(['51', '52']);
/** The names in Spanish of provinces whose name is in another language alone. */
const SPANISH_NAMES: Readonly<Record<string, string>> = {
  'A Coruña': 'La Coruña',
  Bizkaia: 'Vizcaya',
  Gipuzkoa: 'Guipúzcoa',
  Girona: 'Gerona',
  'Illes Balears': 'Islas Baleares',
  Lleida: 'Lérida',
  Ourense: 'Orense',
};
/** Codes of land that several municipalities hold jointly. */
const JOINT_PREFIX = '53';

/** Levels 1 to 3, each in order of GID. */
export function spainUnits(countries: ReadonlyMap<string, Lineage>): {
  communities: SampleUnit[];
  provinces: SampleUnit[];
  municipalities: SampleUnit[];
} {
  const atlas = readAtlas('es-atlas/es/municipalities.json');
  const country = countries.get(COUNTRY);
  if (country === undefined) throw new Error(`${atlas.file}: no country ${COUNTRY} at level 0`);
  const areas = {
    communities: areasOf(atlas, 'autonomous_regions'),
    provinces: areasOf(atlas, 'provinces'),
    municipalities: areasOf(atlas, 'municipalities'),
  };
  const inCommunity = byParent(areas.provinces, areas.communities);
  const inProvince = byParent(areas.municipalities, areas.provinces);
  const communities = unitsUnder(country, atlas, areas.communities.filter(isInSpain), withCode(kindOfCommunity));
  const provinces = communities.flatMap((community) =>
    unitsUnder(community.lineage, atlas, inCommunity.get(community.area) ?? [], withCode(kindOfProvince)),
  );
  const municipalities = provinces.flatMap((province) =>
    unitsUnder(province.lineage, atlas, inProvince.get(province.area) ?? [], kindOfMunicipality),
  );
  return { communities, provinces, municipalities };
}

/** The children in each parent. */
function byParent(children: readonly Area[], parents: readonly Area[]): Map<Area, Area[]> {
  const parentOf = parentNumbers(children, parents);
  return new Map(parents.map((parent, i) => [parent, children.filter((_, child) => parentOf[child] === i)]));
}

function isInSpain(area: Area): boolean {
  return !OUTSIDE.has(area.code);
}

function kindOfCommunity({ code }: Area): Kind {
  return CITIES.has(code) ? CITY : { type: 'Comunidad Autónoma', engtype: 'Autonomous Community' };
}

function kindOfProvince({ code, name }: Area): Kind {
  if (CITIES_AS_PROVINCES.has(code)) return CITY;
  return { type: 'Provincia', engtype: 'Province', variants: SPANISH_NAMES[name] };
}

function kindOfMunicipality({ code }: Area): Kind {
  return code.startsWith(JOINT_PREFIX)
    ? { type: 'Territorio común', engtype: 'Joint Land' }
    : { type: 'Municipio', engtype: 'Municipality' };
}

/** No FIPS code, and that of the Instituto Nacional de Estadística. */
function withCode(kindOf: (area: Area) => Kind): (area: Area) => Kind {
  return (area) => ({ ...kindOf(area), further: [null, area.code] });
}

const CITY: Kind = { type: 'Ciudad Autónoma', engtype: 'Autonomous City' };
