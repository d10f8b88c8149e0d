// A release of named units, for the tests of the explorer's names and search: levels 0, 1 and 3. No unit is at level 2,
// and so level 3 has no GIDs of it.
import type { BuildOptions } from '../../generator/build.ts';
import { square } from '../support/datasets/write-dataset.ts';
import { buildLayers } from '../support/releases/build-release.ts';

/**
 * Builds it: municipalities have the names of regions, one has no name and one no GID; countries' names are nowhere but
 * in their own layer.
 * @param spain the name of the first country
 * @param gid the GID of the second one
 */
export async function buildNamedUnits(out: string, spain: string, gid: string, more: Partial<BuildOptions> = {}) {
  const unit = (fid: number, ...values: (string | null)[]) => ({ fid, values, wkt: square(fid * 2, 0) });
  const layers = [
    {
      name: 'ADM_0',
      columns: ['GID_0', 'COUNTRY'],
      features: [unit(4, 'ESP', spain), unit(7, gid, 'Åland'), unit(9, 'FRA', 'France')],
    },
    {
      name: 'ADM_1',
      columns: ['GID_1', 'GID_0', 'NAME_1', 'ENGTYPE_1'],
      features: [
        unit(1, 'ESP.1_1', 'ESP', 'Madrid', 'Autonomous Community'),
        unit(2, 'ESP.2_1', 'ESP', 'Castilla-La Mancha', 'Autonomous Community'),
        unit(3, `${gid}.1`, gid, 'Mariehamn', null),
      ],
    },
    {
      name: 'ADM_3',
      columns: ['GID_3', 'GID_0', 'GID_1', 'NAME_1', 'NAME_3', 'TYPE_3'],
      features: [
        unit(10, 'ESP.1.1_1', 'ESP', 'ESP.1_1', 'Madrid', 'Madrid', 'Municipio'),
        unit(20, 'ESP.2.1_1', 'ESP', 'ESP.2_1', 'Castilla-La Mancha', 'Madridejos', 'Municipio'),
        unit(30, `${gid}.1.1`, gid, `${gid}.1`, 'Mariehamn', null, null),
        unit(40, null, 'ESP', 'ESP.1_1', 'Madrid', 'Las Madrigueras', 'Municipio'),
        unit(50, '06037', gid, `${gid}.1`, 'Mariehamn', 'ESP', null),
      ],
    },
  ];
  const gidColumns: BuildOptions['gidColumns'] = [{ level: 3, of: 2, columns: [] }];
  await buildLayers(layers, { accept: ['null-gids'], gidColumns, ...more }, out);
}
