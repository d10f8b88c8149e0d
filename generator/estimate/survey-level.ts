// Reads what `build --dry-run` needs of a level: fids, GIDs and boxes of all units, and the problems of the data. Runs in
// a child process: gdal-async is used from one thread of a process only.
import type { Finding } from '../../format/findings.ts';
import { isValid } from '../gdal/valid-polygons.ts';
import { Findings } from '../quality/findings.ts';
import { checkIdentifiers } from '../quality/identifiers.ts';
import { type LayersTask, readLayers } from '../read/read-layers.ts';
import { OpenPolygons } from '../rings/open-rings.ts';
import { gidColumnsOf } from '../source/level-source.ts';
import { LevelStore } from '../store/level-store.ts';
import { GEOMETRY_KINDS, newIndexBuilder } from '../store/store-index.ts';

/** Reads the layers of a level. @param store its path: it gets an index and no texts */
export function surveyLevel({ store, ...task }: LayersTask & { store: string }): readonly Finding[] {
  const { source } = task;
  const gidColumns = gidColumnsOf(source);
  let builder = newIndexBuilder(gidColumns);
  let invalid = new Findings(source.level);
  const { findings } = readLayers(task, () => {
    builder = newIndexBuilder(gidColumns);
    invalid = new Findings(source.level);
    const rings = new OpenPolygons();
    return {
      feature({ fid, gids, box, quality, foundAt }) {
        if (!isValid(rings.take()) && !quality.isCollapsed) invalid.add('invalid-polygons', foundAt);
        builder.add({ fid, gids, box, parts: [], kind: GEOMETRY_KINDS.none, bytes: 0, deflatedText: 0, crc: 0 });
      },
      rings,
    };
  });
  const index = builder.finish();
  new LevelStore(store).writeIndex(index);
  checkIdentifiers(source, index, findings);
  return [...findings.list(), ...invalid.list()];
}
