// Ends with as many geometries as asked for, which nothing needs any more: run by a test, with a collector at work.
import { gdal } from '../../../generator/source/gdal.ts';

const geometries = Array.from({ length: Number(process.argv[2]) }, () => [new gdal.MultiPolygon(), new Array(200)]);
geometries.length = 0;
