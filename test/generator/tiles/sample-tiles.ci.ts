// The tiles of the sample: edges inside of a tile are of one unit or two, polygons are as good as valid, and the edges
// of parents are among those of their children.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { VectorTile } from '@mapbox/vector-tile';
import { elementAt } from '../../../format/element-at.ts';
import { namesPath, releasePath } from '../../../format/layout.ts';
import { type Level, levelName } from '../../../format/levels.ts';
import { releaseFromJson } from '../../../format/release-json.ts';
import { gdal } from '../../../generator/gdal/gdal.ts';
import { areaOf, toValid } from '../../../generator/gdal/valid-polygons.ts';
import { doubledArea, type OpenPolygon, type OpenRing } from '../../../generator/rings/open-rings.ts';
import { sideOf } from '../../../generator/rings/predicates.ts';
import { jsonLines } from '../../support/files.ts';
import { featuresIn } from '../../support/releases/features-in.ts';
import { featuresOf, openTiles, readTiles } from '../../support/releases/read-tiles.ts';
import { textOf } from '../../support/releases/reseal.ts';
import { sampleOutput } from '../../support/releases/world.ts';

/** Deeper tiles are many, and made in the same way. */
const DEEPEST = 6;
const [BUFFER, EXTENT] = [64, 4096];

const out = await sampleOutput();
const root = join(out, releasePath('sample'));
const release = releaseFromJson(readFileSync(join(root, 'release.json'), 'utf8'), 'release.json');

/** The units of a tile with their rings, not closed. */
function* unitsOf({ layers: { units } }: VectorTile): Generator<{ id: number; isLeaf: boolean; rings: OpenRing[] }> {
  for (const feature of featuresOf(units)) {
    const rings = feature.loadGeometry().map((ring) => ring.slice(1).flatMap(({ x, y }) => [x, y]));
    yield { id: feature.id ?? assert.fail(), isLeaf: feature.properties['leaf'] === true, rings };
  }
}

type Edge = [x1: number, y1: number, x2: number, y2: number];

/** The edges of rings that are not on the cut around a tile, with their text, the same in both directions. */
function* edgesOf(rings: readonly OpenRing[]): Generator<[key: string, edge: Edge]> {
  for (const ring of rings)
    for (let i = 0; i < ring.length; i += 2) {
      const next = (i + 2) % ring.length;
      const edge = [i, i + 1, next, next + 1].map((at) => elementAt(ring, at)) as Edge;
      const [x1, y1, x2, y2] = edge;
      const isCut = (from: number, to: number): boolean => from === to && (from <= -BUFFER || from >= EXTENT + BUFFER);
      if (!isCut(x1, x2) && !isCut(y1, y2)) yield [[`${x1},${y1}`, `${x2},${y2}`].sort().join(' '), edge];
    }
}

/** Is the land just left of an edge, on which its own unit is, of a unit with these rings? */
function isBeside([x1, y1, x2, y2]: Edge, rings: readonly OpenRing[]): boolean {
  const step = 0.01 / Math.hypot(x2 - x1, y2 - y1);
  const [x, y] = [(x1 + x2) / 2 - step * (y2 - y1), (y1 + y2) / 2 + step * (x2 - x1)];
  return rings.filter((ring) => sideOf(x, y, ring) === 1).length % 2 === 1;
}

async function tilesOf(level: Level): Promise<Map<string, VectorTile>> {
  const tiles = new Map<string, VectorTile>();
  for await (const { zoom, x, y, tile } of readTiles(openTiles(join(root, levelName(level), 'tiles.pmtiles')), DEEPEST))
    tiles.set(`${zoom}/${x}/${y}`, tile);
  return tiles;
}

const levels = await Promise.all(([0, 1, 2, 3] as const).map(tilesOf));

test('no edge inside of a tile is twice of a unit; of three are only those of units that overlap in the source', () => {
  for (const [level, tiles] of levels.entries()) {
    let [all, shared] = [0, 0];
    const overlapping = new Set<string>();
    for (const [place, tile] of tiles) {
      const edges = new Map<string, number[]>();
      for (const { id, rings } of unitsOf(tile))
        for (const [key] of edgesOf(rings)) edges.set(key, [...(edges.get(key) ?? []), id]);
      for (const [key, ids] of edges) {
        all++;
        assert.equal(new Set(ids).size, ids.length, `level ${level}, ${place}: ${key} is of ${ids}`);
        if (ids.length === 2) shared++;
        else if (ids.length > 2) overlapping.add(ids.join());
      }
    }
    assert.ok(all > 1000 && shared > 100, `level ${level}: ${shared} of ${all}`);
    assert.ok(overlapping.size <= all / 10_000, `level ${level}: ${[...overlapping].join(' ')} of ${all}`);
    if (overlapping.size === 0) continue;
    const features = new Map(featuresIn(out, level as Level, 'full', 'sample').map((one) => [one.id, one.geometry]));
    for (const ids of overlapping) {
      const shapes = ids.split(',').map((id) => gdal.Geometry.fromGeoJson(features.get(Number(id))).makeValid());
      const areOver = shapes.some((a, i) => shapes.slice(i + 1).some((b) => a.intersects(b) && !a.touches(b)));
      assert.ok(areOver, `level ${level}: an edge is of ${ids}`);
    }
  }
});

test('being made valid changes the area of no polygon by more than 16 square units', () => {
  for (const [level, tiles] of levels.entries())
    for (const [place, tile] of tiles)
      for (const { id, rings } of unitsOf(tile)) {
        const polygons: OpenPolygon[] = [];
        for (const ring of rings)
          if (doubledArea(ring) > 0) polygons.push([ring]);
          else polygons.at(-1)?.push(ring);
        const area = rings.reduce((sum, ring) => sum + doubledArea(ring) / 2, 0);
        const change = Math.abs(area - areaOf(toValid(polygons)));
        assert.ok(change <= 16, `level ${level}, ${place}, ${id}: ${change}`);
      }
});

test('edges of parents are among those of their children, but where rings of children went', () => {
  for (const [parents, children] of [
    [1, 2],
    [2, 3],
  ] as const) {
    let [all, other] = [0, 0];
    for (const [place, tile] of elementAt(levels, parents)) {
      const found = elementAt(levels, children).get(place);
      const below = found === undefined ? [] : [...unitsOf(found)];
      const known = new Set(below.flatMap(({ rings }) => [...edgesOf(rings)].map(([key]) => key)));
      for (const { isLeaf, rings } of unitsOf(tile)) {
        if (isLeaf) continue;
        for (const [key, edge] of edgesOf(rings)) {
          all++;
          // Where the ring of a child went there is none beside the edge, inside of its parent.
          if (!known.has(key) && below.some((child) => isBeside(edge, child.rings))) other++;
        }
      }
    }
    // Two edges at the most of a zoom are of no municipality in the source.
    assert.ok(all > 1000 && other <= 2 * (DEEPEST + 1), `levels ${parents} and ${children}: ${other} of ${all}`);
  }
});

test('the deepest zoom has each unit with an area, also where its label is, with the GID of names and one colour', async () => {
  for (const { level, features, tiles } of release.levels) {
    if (tiles === undefined) continue;
    const archive = openTiles(join(root, levelName(level), 'tiles.pmtiles'));
    const { minZoom, maxZoom } = await archive.getHeader();
    assert.deepEqual([minZoom, maxZoom], [tiles.minzoom, tiles.maxzoom]);
    const [header, ...lines] = jsonLines(textOf(root, namesPath(level)));
    const [fid = -1, gid = -1] = ['fid', 'gid'].map((field) => header.indexOf(field));
    const names = new Map(lines.map((own) => [own[fid], own]));
    const colours = new Map<number, unknown>();
    const [seen, labelled, apart] = [new Set<number>(), new Set<number>(), new Set<number>()];
    for await (const { zoom, tile } of readTiles(archive)) {
      if (zoom < maxZoom) continue;
      const here = new Set<number>();
      const { units, labels } = tile.layers;
      for (const { id = -1, properties } of featuresOf(units)) {
        const colour = colours.get(id) ?? properties['colour'];
        assert.deepEqual([properties['gid'], properties['colour']], [names.get(id)[gid], colour]);
        colours.set(id, colour);
        here.add(id);
        seen.add(id);
      }
      for (const { id = -1 } of featuresOf(labels)) {
        labelled.add(id);
        if (!here.has(id)) apart.add(id);
      }
    }
    assert.equal(seen.size, tiles.units, `level ${level}`);
    assert.ok(
      tiles.units <= features && tiles.units > 0.99 * features,
      `level ${level}: ${tiles.units} of ${features}`,
    );
    const without = [...seen].filter((id) => apart.has(id) || !labelled.has(id));
    assert.deepEqual(without, [], `level ${level}`);
  }
});
