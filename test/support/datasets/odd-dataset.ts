// A dataset of which the worst values of worst-of-each.ts ask: one GID of most units, many units at one point, a cell of
// many edges, listings that are scattered over all files.
import { elementAt } from '../../../format/element-at.ts';
import { writeGeopackage } from '../../../generator/sample/write-geopackage.ts';
import { ODD } from '../../proxy/guards/worst-of-each.ts';

/** How many there are of each. */
const ODD_COUNTS = { units: 130_000, stacked: 3_000, edges: 30_000 };

/**
 * Writes a GeoPackage of level 0 and 1 with 130,000 small squares side by side: every second one is of the other country,
 * 100,000 have one GID, names descend while their last words ascend, 3,000 lie upon each other, one has 30,000 edges in
 * a cell.
 */
export function writeOddDataset(file: string, { units, stacked, edges } = ODD_COUNTS): string {
  const squareAt = (x: number, y: number, size: number) => [
    [
      [
        [x, y],
        [x + size, y],
        [x + size, y + size],
        [x, y + size],
        [x, y],
      ],
    ],
  ];
  const dense = Array.from({ length: edges }, (_, i) => {
    const radius = 1e-6 * (1 + (i % 2));
    return [20 + radius * Math.cos((2 * Math.PI * i) / edges), 20 + radius * Math.sin((2 * Math.PI * i) / edges)];
  });
  const coordinatesOf = (i: number) => {
    if (i === 0) return [[[...dense, elementAt(dense, 0)]]];
    if (i <= stacked) return squareAt(10, 10, 0.01 + i * 1e-5);
    return squareAt(30 + (i % 400) * 0.1, -20 + Math.floor(i / 400) * 0.1, 0.1);
  };
  const countries = ['AAA', 'BBB'];
  const layers = [
    {
      name: 'ADM_0',
      columns: ['GID_0', 'NAME_0'],
      count: 2,
      units: countries.map((gid, i) => ({ fid: i + 1, values: [gid, gid], coordinates: squareAt(30 * i, -20, 20) })),
    },
    {
      name: 'ADM_1',
      columns: ['GID_0', 'GID_1', 'NAME_1'],
      count: units,
      units: Array.from({ length: units }, (_, i) => {
        const gid = i % 13 < 10 ? ODD.gid : `U${i}`;
        const name = `K${String(units - i).padStart(6, '0')} k${String(i).padStart(6, '0')}`;
        return { fid: i + 1, values: [elementAt(countries, i % 2), gid, name], coordinates: coordinatesOf(i) };
      }),
    },
  ];
  writeGeopackage(file, layers, ['Invented data: no place, name or border in it is real']);
  return file;
}
