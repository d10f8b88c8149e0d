// The sample's United States: states and counties of the Census Bureau, from us-atlas. The territories are countries,
// as in GADM; their county equivalents are their level 1.

import { type Area, areasOf, readAtlas } from './atlas.ts';
import { type Kind, type Lineage, type SampleUnit, unitsUnder } from './units.ts';

/** The data is in the public domain; the Bureau asks to be cited as the source. */
export const USA_ATTRIBUTION =
  'States and counties of the United States: U.S. Census Bureau, cartographic boundary files 2017, public domain';

const COUNTRY = 'USA';

/** Territories by FIPS code: GID of the country, and kind of its units. */
const TERRITORIES: Readonly<Record<string, { gid: string } & Kind>> = {
  '60': { gid: 'ASM', type: 'District', engtype: 'District' },
  '66': { gid: 'GUM', type: 'Territory', engtype: 'Territory' },
  '69': { gid: 'MNP', type: 'Municipality', engtype: 'Municipality' },
  '72': { gid: 'PRI', type: 'Municipio', engtype: 'Municipality' },
  '78': { gid: 'VIR', type: 'Island', engtype: 'Island' },
};

const CAPITAL = '11';
/** Cities that belong to no county: all of Virginia's codes from 51510 on, and three elsewhere. */
const INDEPENDENT_CITIES: ReadonlySet<string> = new Set(['24510', '29510', '32510']);
const FIRST_CITY_OF_VIRGINIA = '51510';
const NEXT_STATE = '52';

/** Levels 1 and 2, each in order of GID. */
export function usaUnits(countries: ReadonlyMap<string, Lineage>): { states: SampleUnit[]; counties: SampleUnit[] } {
  const atlas = readAtlas('us-atlas/counties-10m.json');
  const counties = areasOf(atlas, 'counties');
  const areas = areasOf(atlas, 'states');
  const states = unitsUnder(
    lineageOf(COUNTRY),
    atlas,
    areas.filter((state) => TERRITORIES[state.code] === undefined),
    withCode(kindOfState),
  );
  const territories = Object.entries(TERRITORIES).flatMap(([code, { gid, type, engtype }]) =>
    unitsUnder(
      lineageOf(gid),
      atlas,
      countiesOf(code),
      withCode(() => ({ type, engtype })),
    ),
  );
  return {
    states: [...states, ...territories],
    counties: states.flatMap((state) =>
      unitsUnder(state.lineage, atlas, countiesOf(state.area.code), withCode(kindOfCounty)),
    ),
  };

  /** A county's code begins with its state's. */
  function countiesOf(state: string): Area[] {
    return counties.filter((county) => county.code.startsWith(state));
  }

  function lineageOf(gid: string): Lineage {
    const lineage = countries.get(gid);
    if (lineage === undefined) throw new Error(`${atlas.file}: no country ${gid} at level 0`);
    return lineage;
  }
}

function kindOfState(state: Area): Kind {
  return state.code === CAPITAL ? kind('Federal District') : kind('State');
}

function kindOfCounty({ code }: Area): Kind {
  if (INDEPENDENT_CITIES.has(code) || (code >= FIRST_CITY_OF_VIRGINIA && code < NEXT_STATE))
    return kind('Independent City');
  if (code.startsWith('02')) return kind('Borough or Census Area');
  if (code.startsWith('22')) return kind('Parish');
  return code.startsWith(CAPITAL) ? kind('Federal District') : kind('County');
}

/** The FIPS code, and none of Spain. */
function withCode(kindOf: (area: Area) => Kind): (area: Area) => Kind {
  return (area) => ({ ...kindOf(area), further: [area.code, null] });
}

function kind(type: string): Kind {
  return { type, engtype: type };
}
