// Ends with as many geometries as asked for, twice, which nothing needs any more: run by a test, with a collector at
// work.
import { gdal } from '../../../generator/gdal/gdal.ts';

const newGeometries = (): unknown[] =>
  Array.from({ length: Number(process.argv[2]) }, () => [new gdal.MultiPolygon(), new Array(200)]);

const geometries = newGeometries();
process.on('exit', () => {
  geometries.length = 0;
  newGeometries();
});
