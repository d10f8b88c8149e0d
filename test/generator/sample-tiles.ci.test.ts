// The tiles of the sample: edges inside of a tile are of one unit or two, and the edges of parents are among those of
// their children.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { VectorTile } from '@mapbox/vector-tile';
import { releasePath } from '../../format/layout.ts';
import { type Level, levelName } from '../../format/levels.ts';
import { releaseFromJson } from '../../format/release.ts';
import { openTiles, readTiles } from '../support/releases/read-tiles.ts';
import { sampleOutput } from '../support/releases/world.ts';

/** Deeper tiles are many, and made in the same way. */
const DEEPEST = 6;
const [BUFFER, EXTENT] = [64, 4096];

const root = join(await sampleOutput(), releasePath('sample'));
const release = releaseFromJson(readFileSync(join(root, 'release.json'), 'utf8'), 'release.json');

/** The edges of the units of a tile that are not on the cut around it, each with the ids of its units. */
function edgesOf({ layers: { units } }: VectorTile, isWanted: (isLeaf: boolean) => boolean): Map<string, number[]> {
  const edges = new Map<string, number[]>();
  for (let i = 0; i < (units?.length ?? 0); i++) {
    const feature = units?.feature(i) ?? assert.fail();
    if (!isWanted(feature.properties['leaf'] === true)) continue;
    for (const ring of feature.loadGeometry())
      for (const [at, to] of ring.entries()) {
        const from = ring[at - 1];
        if (from === undefined) continue;
        const isCut = (axis: 'x' | 'y'): boolean =>
          from[axis] === to[axis] && (from[axis] <= -BUFFER || from[axis] >= EXTENT + BUFFER);
        if (isCut('x') || isCut('y')) continue;
        const key = [`${from.x},${from.y}`, `${to.x},${to.y}`].sort().join(' ');
        edges.set(key, [...(edges.get(key) ?? []), feature.id ?? -1]);
      }
  }
  return edges;
}

/** The tiles of a level by their places. */
async function tilesOf(level: Level): Promise<Map<string, VectorTile>> {
  const tiles = new Map<string, VectorTile>();
  for await (const { zoom, x, y, tile } of readTiles(openTiles(join(root, levelName(level), 'tiles.pmtiles')), DEEPEST))
    tiles.set(`${zoom}/${x}/${y}`, tile);
  return tiles;
}

const levels = await Promise.all(([0, 1, 2, 3] as const).map(tilesOf));

test('edges inside of tiles are of one unit or two, but for 1 in 1,000', () => {
  for (const [level, tiles] of levels.entries()) {
    let [edges, shared, others] = [0, 0, 0];
    for (const tile of tiles.values())
      for (const ids of edgesOf(tile, () => true).values()) {
        edges++;
        if (ids.length === 2) shared++;
        if (ids.length > 2 || new Set(ids).size < ids.length) others++;
      }
    assert.ok(edges > 1000 && shared > 100 && others <= edges / 1000, `level ${level}: ${others} of ${edges}`);
  }
});

test('edges of parents are among those of their children at zoom 6, but for 2 in 1,000', () => {
  // Further out rings of children go that are too small to see: of municipalities most at zoom 1.
  for (const [parents, children] of [
    [1, 2],
    [2, 3],
  ] as const) {
    let [edges, missing] = [0, 0];
    for (const [place, tile] of levels[parents] ?? []) {
      const below = levels[children]?.get(place);
      if (below === undefined || !place.startsWith(`${DEEPEST}/`)) continue;
      const known = edgesOf(below, () => true);
      for (const key of edgesOf(tile, (isLeaf) => !isLeaf).keys()) {
        edges++;
        if (!known.has(key)) missing++;
      }
    }
    assert.ok(
      edges > 1000 && missing <= (2 * edges) / 1000,
      `levels ${parents} and ${children}: ${missing} of ${edges}`,
    );
  }
});

test('archives have the zooms of release.json, and nearly all units an area in them', async () => {
  for (const { level, features, tiles } of release.levels) {
    if (tiles === undefined) continue;
    const { minZoom, maxZoom } = await openTiles(join(root, levelName(level), 'tiles.pmtiles')).getHeader();
    assert.deepEqual([minZoom, maxZoom], [tiles.minzoom, tiles.maxzoom]);
    assert.ok(
      tiles.units <= features && tiles.units > 0.99 * features,
      `level ${level}: ${tiles.units} of ${features}`,
    );
  }
});
