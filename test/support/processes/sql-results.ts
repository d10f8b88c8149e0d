// Asks a dataset again and again with SQL, and lets go of the results: run by a test, with a small heap.
import { gdal } from '../../../generator/gdal/gdal.ts';

const DATASETS = 10;
const QUESTIONS = 300;

for (let made = 0; made < DATASETS; made++) {
  const dataset = gdal.drivers.get('Memory').create('');
  dataset.layers.create('units', null, gdal.wkbPoint);
  for (let asked = 0; asked < QUESTIONS; asked++) {
    dataset.executeSQL('SELECT * FROM units');
    dataset.layers.get('units').features.count();
  }
  dataset.close();
}
