// Makes the other geometries of a level's units: a store for each, with the text of every feature, from which the tasks that
// write feature files copy. Runs in a child process, one or two geometries at a time.
import { elementAt } from '../../format/element-at.ts';
import type { Geometry } from '../../format/levels.ts';
import { geometryIn, withGeometry } from '../geojson/feature.ts';
import { createStore, geometryStorePath, openStore, storedText } from '../store/feature-store.ts';
import { readRings } from '../store/ring-store.ts';
import { readSidecar, writeSidecar } from '../store/sidecar.ts';

/** Which geometries to make. Plain data: it is sent to a child process. */
export interface GeometriesTask {
  /** Path of the level's store. */
  store: string;
  geometries: readonly Geometry[];
  /** Decimals of the full geometry. */
  precision: number;
}

/** The geometries that are made together: a point is found in the medium geometry. `none` is made when a level is read. */
export function geometryGroups(geometries: readonly Geometry[]): Geometry[][] {
  const groups: Geometry[][] = [['medium', 'point'], ['low']];
  return groups
    .map((group) => group.filter((geometry) => geometries.includes(geometry)))
    .filter((group) => group.length > 0);
}

/** Makes the stores. */
export function storeGeometries({ store, geometries, precision }: GeometriesTask): void {
  const full = openStore(store);
  const without = openStore(geometryStorePath(store, 'none'));
  const scale = 10 ** precision;
  const points: (string | undefined)[] = [];
  let point: string | undefined;
  readRings(
    store,
    {
      ring(positions) {
        point ??= `{"type":"Point","coordinates":[${positions.x(0) / scale},${positions.y(0) / scale}]}`;
      },
    },
    (position) => {
      points[position] = point;
      point = undefined;
    },
  );
  for (const geometry of geometries) {
    const writer = createStore(geometryStorePath(store, geometry), []);
    for (let position = 0; position < full.index.features; position++) {
      const [text] = full.read([position, position + 1]);
      const [other] = without.read([position, position + 1]);
      if (text === undefined || other === undefined) throw new RangeError(`position ${position}`);
      const head = storedText(other);
      const own = geometryIn(storedText(text), head);
      const made = geometry === 'point' ? Buffer.from(points[position] ?? own) : own;
      writer.append(
        { fid: elementAt(full.index.fids, position), gids: [], box: [0, 0, 0, 0] },
        withGeometry(head, made),
      );
    }
    writer.close();
    writeSidecar(geometryStorePath(store, geometry), 'invalid', 0);
  }
  full.close();
  without.close();
}

/** Number of simplified units that are not valid although their full geometry is. */
export function readInvalid(store: string, geometry: Geometry): number {
  return geometry === 'medium' || geometry === 'low' ? readSidecar(geometryStorePath(store, geometry), 'invalid') : 0;
}
