// Vector tiles of the generator, as `pmtiles` and `@mapbox/vector-tile` read them: what is in each tile. That borders are
// shared at every zoom is tested in topology/partitions.test.ts, and of the sample in sample-tiles.ci.ts.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { VectorTileFeature } from '@mapbox/vector-tile';
import { elementAt } from '../../../format/element-at.ts';
import { tileDigestsPath, tilesPath } from '../../../format/layout.ts';
import { TILES_ZOOM_MAX } from '../../../format/tiles.ts';
import { FileError } from '../../../generator/release-reader/file-error.ts';
import { SILENT } from '../../../generator/report/progress.ts';
import { UnitClock } from '../../../generator/report/unit-clock.ts';
import type { Box } from '../../../generator/rings/bbox.ts';
import { doubledArea } from '../../../generator/rings/open-rings.ts';
import { attributeBytesIn, featureIdsIn, TileLayer, withoutLayer } from '../../../generator/tiles/mvt.ts';
import { tilesOf } from '../../../generator/tiles/quarter-tiles.ts';
import { makeZoomArcs } from '../../../generator/tiles/simplify-zoom.ts';
import { boxesOfArcs, meets } from '../../../generator/topology/arcs.ts';
import { meetingEdges } from '../../../generator/topology/crossing-edges.ts';
import { withoutDoubledEdges } from '../../../generator/topology/cut-edges.ts';
import { NearArcs } from '../../../generator/topology/near-arcs.ts';
import { checkTiles } from '../../../generator/verify/tiles.ts';
import { verify } from '../../../generator/verify/verify.ts';
import { patchwork } from '../../support/datasets/made-up-levels.ts';
import { writeUnits } from '../../support/datasets/small-datasets.ts';
import { box, layerOf, writeDataset } from '../../support/datasets/write-dataset.ts';
import { dice } from '../../support/dice.ts';
import { sha256 } from '../../support/files.ts';
import { assertSharded, buildRelease } from '../../support/releases/build-release.ts';
import { readIndex } from '../../support/releases/read-index.ts';
import { featuresOf, openTiles, readTiles } from '../../support/releases/read-tiles.ts';
import { resealSummary } from '../../support/releases/reseal.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { assertContradiction } from '../verify/findings.ts';

const NO_WEIGHTS = new Float64Array();
const [ROWS, COLUMNS] = [3, 4];
const ZOOM = 8;
const PRECISION = 5;

/** Counties of a degree each from (0, 0), in two countries: the left and the right half. */
function writeCounties(): string {
  const countryOf = (i: number): string => (i % COLUMNS < COLUMNS / 2 ? 'W' : 'E');
  const counties = Array.from({ length: ROWS * COLUMNS }, (_, i) => {
    const [x, y] = [i % COLUMNS, Math.floor(i / COLUMNS)];
    return [[countryOf(i), `C${i}`, `County ${i}`], box(x, y, x + 1, y + 1)] as const;
  });
  const countries = [0, COLUMNS / 2].map(
    (x) => [[countryOf(x), countryOf(x)], box(x, 0, x + COLUMNS / 2, ROWS)] as const,
  );
  return writeDataset(join(temporaryFolder(), 'counties.gpkg'), 'GPKG', [
    layerOf('ADM_0', ['GID_0', 'COUNTRY'], countries),
    layerOf('ADM_1', ['GID_0', 'GID_1', 'NAME_1'], counties),
  ]);
}

const source = writeCounties();
const out = temporaryFolder();
const OPTIONS = { precision: PRECISION, tiles: ZOOM };
const release = await buildRelease(source, out, OPTIONS);
const archiveOf = (level: number) => openTiles(join(out, `releases/r1/lv${level}/tiles.pmtiles`));

type Place = { x: number; y: number };
const BUFFER = 64;
const END = 4096 + BUFFER;

/** Edges that are not on the cut around a tile. */
function* edgesOf(feature: VectorTileFeature): Generator<[from: Place, to: Place]> {
  for (const ring of feature.loadGeometry())
    for (const [i, to] of ring.slice(1).entries()) {
      const from = elementAt(ring, i);
      const isCut = (axis: 'x' | 'y') => from[axis] === to[axis] && (from[axis] === -BUFFER || from[axis] === END);
      if (!isCut('x') && !isCut('y')) yield [from, to];
    }
}

test('features have fid, GIDs, colour, leaf and name; borders the highest level; labels rank and zoom', async () => {
  const levels = elementAt(release.levels, 1);
  assert.deepEqual([levels.tiles?.units, levels.tiles?.minzoom, levels.tiles?.maxzoom], [ROWS * COLUMNS, 0, ZOOM]);
  const seen = { units: new Map<number, string>(), labels: new Set<number>(), borders: new Set<string>() };
  for await (const { zoom, tile } of readTiles(archiveOf(1))) {
    const { units, borders, labels } = tile.layers;
    assert.ok(borders === undefined || zoom >= 2);
    if (zoom < ZOOM) continue;
    for (const { id = -1, properties } of featuresOf(units)) {
      const [at, country] = [id - 1, (id - 1) % COLUMNS < COLUMNS / 2 ? 'W' : 'E'];
      const { colour, ...others } = properties;
      assert.deepEqual(others, { gid: `C${at}`, gid_0: country, leaf: true, name: `County ${at}` });
      seen.units.set(id, String(colour));
    }
    for (const { properties } of featuresOf(borders)) seen.borders.add(JSON.stringify(properties));
    for (const { id = -1, properties } of featuresOf(labels)) {
      assert.ok(!seen.labels.has(id) && properties['zoom'] === 6, JSON.stringify(properties));
      seen.labels.add(id);
    }
  }
  assert.equal(seen.units.size, ROWS * COLUMNS);
  assert.equal(seen.labels.size, ROWS * COLUMNS);
  assert.deepEqual([...seen.borders].sort(), ['{"level":0}', '{"level":1,"gid_0":"E"}', '{"level":1,"gid_0":"W"}']);
  for (let i = 1; i <= ROWS * COLUMNS; i++)
    for (const other of [i % COLUMNS === 0 ? undefined : i + 1, i + COLUMNS])
      if (other !== undefined && seen.units.has(other)) assert.notEqual(seen.units.get(i), seen.units.get(other));
});

test('shards and their seal give the same bytes', () => assertSharded(source, out, OPTIONS));

test('verify names an archive whose digests are of another one', async () => {
  await assertContradiction(
    out,
    (root) => {
      const path = join(root, 'lv1/tiles.digest');
      const { bytes } = elementAt(release.levels, 1).tiles?.digests.head ?? assert.fail();
      const digests = readFileSync(path);
      digests.writeUInt8(digests.readUInt8(bytes + 9) ^ 1, bytes + 9);
      writeFileSync(path, digests);
      resealSummary(root, 1, ({ tiles = assert.fail() }) => {
        return { tiles: { ...tiles, digests: { ...tiles.digests, sha256: sha256(digests) } } };
      });
    },
    'lv1/tiles.pmtiles',
    /block 0 is not what tiles.digest says/,
  );
});

test('verify names a tile with a feature of a unit that is elsewhere', () => {
  const { tiles } = elementAt(release.levels, 1);
  const root = join(out, 'releases/r1');
  const { fid, box } = readIndex(root, 1).arrays;
  const check = (boxes: Int32Array): void =>
    checkTiles(join(root, tilesPath(1)), join(root, tileDigestsPath(1)), tiles ?? assert.fail(), { fid, box: boxes });
  check(box);
  const turned = box.map((edge, i) => (i % 4 === 1 || i % 4 === 3 ? -edge : edge));
  assert.throws(() => check(turned), /whose unit is elsewhere/);
});

test('a tile that is cut anywhere but between two layers is named as damaged', () => {
  const layers = ['units', 'labels'].map((name) => {
    const layer = new TileLayer(name).begin(0, 0);
    layer.polygons(300, [['fid', 300]], [[[0, 0, 4096, 0, 0, 4096]]]);
    return layer.bytes();
  });
  const tile = Buffer.concat(layers);
  assert.deepEqual(featureIdsIn(tile), [
    { id: 300, layer: 'units' },
    { id: 300, layer: 'labels' },
  ]);
  assert.deepEqual(Buffer.from(withoutLayer(tile, 'units')), Buffer.from(elementAt(layers, 1)));
  for (let length = 1; length < tile.length; length++) {
    if (length === layers[0]?.length) continue;
    assert.throws(() => featureIdsIn(tile.subarray(0, length)), FileError, `${length} bytes`);
  }
});

test('the bytes of attributes in a tile are those that it would lack without them', () => {
  const written = (languages: boolean): Uint8Array => {
    const layer = new TileLayer('labels').begin(0, 0);
    for (const [fid, name, french] of [
      [1, 'Egypt', 'Égypte'],
      [2, 'Fidji', 'Nowhere'],
      // Its value stays: it is the name of another.
      [3, 'Fiji', 'Fidji'],
    ] as const)
      layer.point(fid, [['name', name], ...(languages ? ([['name:fr', french]] as const) : [])], fid, fid);
    return layer.bytes();
  };
  const [tile, plain] = [written(true), written(false)];
  const isFrench = (key: string): boolean => key === 'name:fr';
  assert.deepEqual(
    [attributeBytesIn(tile, isFrench), attributeBytesIn(plain, isFrench)],
    [tile.length - plain.length, 0],
  );
});

test('verify accepts what build has made at every deepest zoom, also of units that have no area on its grid', async () => {
  const square = (half: number) => box(-half, -half, half, half);
  const strip = (i: number) => box(0, i / 100, 0.01, i / 100 + 1e-7);
  const units = [1e-7, 3e-7, 1e-4, 1e-3, 0.01, 0.05].map(square);
  const features = [...units, ...[1, 2, 3].map(strip)];
  const file = writeUnits(features);
  const counts: (number | undefined)[] = [];
  for (let tiles = 0; tiles <= TILES_ZOOM_MAX; tiles++) {
    const own = temporaryFolder();
    const { levels } = await buildRelease(file, own, { tiles });
    counts.push(levels[0]?.tiles?.units);
    const { findings } = await verify({ out: own, workers: 0 }, SILENT);
    assert.deepEqual(findings, [], `--tiles ${tiles}`);
  }
  assert.ok(
    counts.every((count = 0) => count < features.length),
    `${counts}`,
  );
});

test('a unit on the antimeridian is cut there, and joined in the buffer; one at a pole is cut at 85.05 degrees', async () => {
  const own = temporaryFolder();
  const across = 'MULTIPOLYGON(((170 10,180 10,180 20,170 20,170 10)),((-180 10,-170 10,-170 20,-180 20,-180 10)))';
  const polar = 'POLYGON((-180 -90,180 -90,180 -70,0 -60,-180 -70,-180 -90))';
  const built = await buildRelease(writeUnits([across, polar, null]), own, { tiles: 2, accept: ['empty-geometries'] });
  assert.equal(elementAt(built.levels, 0).tiles?.units, 2);
  const archive = openTiles(join(own, 'releases/r1/lv0/tiles.pmtiles'));
  // Bounds beyond the map would be infinite in its projection.
  assert.equal((await archive.getHeader()).minLat, -85.0511288);
  for await (const { zoom, x, y, tile } of readTiles(archive))
    for (const feature of featuresOf(tile.layers['units']))
      for (const [from, to] of edgesOf(feature)) {
        const side = 2 ** zoom * 4096;
        const isEdge = (at: number) => at + x * 4096 === 0 || at + x * 4096 === side;
        assert.ok(
          from.x !== to.x || !isEdge(from.x),
          `${zoom}/${x}/${y} ${feature.id}: an edge is on the antimeridian`,
        );
        for (const place of [from, to]) assert.ok(place.y + y * 4096 >= 0 && place.y + y * 4096 <= side);
      }
});

test('an edge that no point can come back to is divided where it crosses, also when points came back elsewhere', () => {
  // A border whose second point goes, and then crosses another one; and far away two edges that cross.
  const x = Int32Array.of(0, 40, 80, 40, 40, 2000, 2040, 2000, 2040);
  const y = Int32Array.of(20, 30, 20, 16, 24, 20, 60, 60, 20);
  const deepest = { x, y, arcEnds: Int32Array.of(3, 5, 7, 9) };
  const weights = Float64Array.of(Infinity, 40, Infinity, ...Array<number>(6).fill(Infinity));
  const { arcs, crossings } = makeZoomArcs(deepest, weights, new Uint8Array(4).fill(1), 1);
  assert.equal(crossings, 0);
  assert.deepEqual([...arcs.x.subarray(-6)], [1000, 1010, 1020, 1000, 1010, 1020]);
  // Where more meet than memory is for, edges of the deepest level are left as they are, those of others are not.
  const few = makeZoomArcs(deepest, weights, Uint8Array.of(1, 1, 2, 2), 1, { most: 2 });
  assert.equal(few.crossings, 0);
  assert.deepEqual([...few.arcs.x.subarray(-4)], [1000, 1020, 1000, 1020]);
  assert.deepEqual([...few.arcs.arcEnds.subarray(0, 2)], [...arcs.arcEnds.subarray(0, 2)]);
});

test('an edge that is divided where it crosses one does not cross another one for that', () => {
  // The place where the first two cross is rounded: the edge then lies on the other side of where the third one begins.
  const x = Int32Array.of(0, 200, 100, 100, 66, 66);
  const y = Int32Array.of(0, 3, 0, 3, 1, 30);
  const deepest = { x, y, arcEnds: Int32Array.of(2, 4, 6) };
  const levels = new Uint8Array(3).fill(1);
  const { arcs, crossings } = makeZoomArcs(deepest, NO_WEIGHTS, levels, 0);
  const { crossing, overlapping } = meetingEdges(arcs, levels, Infinity);
  assert.deepEqual([crossings, crossing.length, overlapping.length], [0, 0, 0]);
});

test('points come back until borders do not cross, each round where the one before left off', () => {
  const [lines, steps, copies] = [12, 60, 4];
  const random = dice(23);
  // Zigzags beside one another, whose places are there several times: one that comes back may be where an end is already.
  const zigzag = Array.from({ length: steps }, () => 4 * random(10));
  const places = Array.from({ length: lines }, (_, line) =>
    zigzag.flatMap((own, i) => Array.from({ length: copies }, () => ({ x: 8 * i, y: own + 12 * line }))),
  );
  const deepest = {
    x: Int32Array.from(places.flat(), ({ x }) => x),
    y: Int32Array.from(places.flat(), ({ y }) => y),
    arcEnds: Int32Array.from(places, (_, line) => copies * steps * (line + 1)),
  };
  // Every other line has all of its points.
  const isWhole = (i: number) => (i + 1) % (copies * steps) < 2 || (i / (copies * steps)) % 2 < 1;
  const weights = Float64Array.from(deepest.x, (_, i) => (isWhole(i) ? Infinity : random(600)));
  const { arcs, crossings } = makeZoomArcs(deepest, weights, new Uint8Array(lines).fill(1), 2);
  assert.equal(crossings, 0);
  assert.ok(arcs.x.length < lines * steps, `${arcs.x.length}`);
  const given = new Set(places.flat().map(({ x, y }) => `${x / 4},${y / 4}`));
  const made = [...arcs.x].map((x, i) => `${x},${arcs.y[i]}`).filter((place) => !given.has(place));
  assert.deepEqual(made, [], 'edges were divided that points could have come back to');
});

test('edges of scribbles are divided until an independent look at all finds none that meet', () => {
  const [side, size, length] = [8, 100, 16];
  const random = dice(37);
  const places = Array.from({ length: 3 * side * side * length }, (_, i) => {
    const scribble = Math.floor(i / (3 * length));
    // One arc of three is small: others may meet it far from where they begin.
    // So are most scribbles, which need fewer rounds than the others.
    const isSmall = Math.floor(i / length) % 3 === 2 || scribble % 3 > 0;
    const drawn = () => (isSmall ? size / 2 + random(4) : random(size));
    return [size * (scribble % side) + drawn(), size * Math.floor(scribble / side) + drawn()] as const;
  });
  const arcs = 3 * side * side;
  const deepest = {
    x: Int32Array.from(places, ([x]) => x),
    y: Int32Array.from(places, ([, y]) => y),
    arcEnds: Int32Array.from({ length: arcs }, (_, i) => length * (i + 1)),
  };
  const levels = Uint8Array.from({ length: arcs }, (_, i) => [1, 3, 2][i % 3] ?? 0);
  const made = makeZoomArcs(deepest, NO_WEIGHTS, levels, 0);
  const { crossing, overlapping } = meetingEdges(made.arcs, levels, Infinity);
  assert.deepEqual([made.crossings, crossing.length, overlapping.length], [0, 0, 0]);
  // What may meet an edge are at least the arcs whose box does.
  const twice = { ...deepest, x: deepest.x.map((own) => 2 * own), y: deepest.y.map((own) => 2 * own) };
  const [near, boxes] = [new NearArcs(twice, 1), boxesOfArcs(deepest)];
  for (let edge = 0; edge < places.length; edge += length) {
    const [x, y] = [deepest.x.subarray(edge, edge + 2), deepest.y.subarray(edge, edge + 2)];
    const numbers = new Set(
      near.to(
        deepest,
        Uint8Array.from(places, (_, i) => Number(i === edge)),
      ),
    );
    const box: Box = [Math.min(...x), Math.min(...y), Math.max(...x), Math.max(...y)];
    for (let arc = 0; arc < arcs; arc++) assert.ok(numbers.has(arc) || !meets(boxes, arc, box), `${arc}`);
    assert.ok(numbers.size < arcs / 4, `${numbers.size}`);
  }
});

test('of edges with the same ends, as of units that are smaller than the grid, one is compared, and all are divided', () => {
  const count = 60_000;
  const x = Int32Array.from({ length: 2 * count }, (_, i) => 4 * (i % 2));
  const y = x.map((own, i) => (i < 2 * count - 2 ? own : 4 - own));
  const deepest = { x, y, arcEnds: Int32Array.from({ length: count }, (_, i) => 2 * i + 2) };
  const { arcs, crossings } = makeZoomArcs(deepest, NO_WEIGHTS, new Uint8Array(count).fill(1), 0);
  assert.equal(crossings, 0);
  const ends = Int32Array.from({ length: count }, (_, i) => 3 * i + 3);
  assert.deepEqual(arcs.arcEnds, ends);
});

test('an edge that lies on another one has its ends, too, so that both have the same edges', () => {
  // A straight border, and one that runs along it for a while.
  const deepest = {
    ...{ x: Int32Array.of(0, 40, 10, 30, 30), y: Int32Array.of(0, 20, 5, 15, 40) },
    arcEnds: Int32Array.of(2, 5),
  };
  const arcsOf = (...levels: number[]) => makeZoomArcs(deepest, NO_WEIGHTS, Uint8Array.from(levels), 0).arcs;
  const { x, y, arcEnds } = arcsOf(1, 1);
  assert.deepEqual(
    [[...x], [...y], [...arcEnds]],
    [
      [0, 10, 30, 40, 10, 30, 30],
      [0, 5, 15, 20, 5, 15, 40],
      [4, 7],
    ],
  );
  // Of different levels each stays as it is.
  assert.deepEqual([...arcsOf(1, 2).arcEnds], [2, 5]);
});

test('what is taken square by square gives the same tiles', () => {
  const zoom = 4;
  const units = patchwork(4, 6, 6, 40, dice(5)).map(([ring = []]) => ring.slice(1));
  const most = Math.max(...units.flat(2));
  const shapes = units.map((ring, unit) => {
    const flat = (places: typeof ring) => places.flat().map((own) => Math.round((own / most) * 4096 * 2 ** zoom));
    const own = flat(ring);
    return { unit, polygons: [[doubledArea(own) > 0 ? own : flat(ring.toReversed())]] };
  });
  const labels = shapes.map(({ unit, polygons: [[[x = 0, y = 0] = []] = []] }) => ({ unit, x, y }));
  const borders = shapes.map(({ unit, polygons: [[line = []] = []] }) => ({ group: unit % 3, line }));
  const tilesIn = (parted: number) => {
    const tiles = new Map<number, unknown>();
    for (const { id, count, left, top, content } of tilesOf(
      zoom,
      parted,
      () => ({ shapes, borders, labels }),
      new UnitClock(),
    ))
      for (let i = 0; i < count; i++) tiles.set(id + i, count === 1 ? { left, top, content } : content);
    return tiles;
  };
  const whole = tilesIn(0);
  assert.ok(whole.size > 100);
  for (const parted of [1, 2]) assert.deepEqual([...tilesIn(parted)], [...whole]);
});

test('edges there and back go, along a cut and inside of a tile; those twice in one direction stay', () => {
  // Two lobes above row 0, which the cut joins; a strait inside of the left one has come to nothing.
  const lobes = [0, 0, 10, 0, 10, 10, 0, 10, 0, 0, 30, 0, 30, 10, 20, 10, 20, 0];
  const pieces = withoutDoubledEdges([[lobes]], [{ axis: 1, at: 0 }]);
  const doubled = pieces.map(([ring = []]) => doubledArea(ring));
  assert.deepEqual(doubled, [200, 200]);
  const twice = [0, 0, 5, 0, 5, 5, 5, 8, 5, 5, 5, 8, 10, 0, 30, 0, 30, 10, 0, 10, 0, 0, 30, 0, 5, 0];
  const area = withoutDoubledEdges([[twice]], [{ axis: 1, at: 0 }])
    .flat()
    .reduce((sum, ring) => sum + doubledArea(ring), 0);
  assert.equal(area, doubledArea(twice));
  // Holes are negative. A spike; a neck of land and a strait that have closed; two islands that have met.
  const bodies: [rings: number[][], areas: number[][]][] = [
    [[[0, 0, 10, 0, 10, 10, 5, 10, 5, 20, 5, 10, 0, 10]], [[200]]],
    [[[0, 0, 10, 0, 10, 5, 20, 5, 20, 0, 30, 0, 30, 10, 20, 10, 20, 5, 10, 5, 10, 10, 0, 10]], [[200], [200]]],
    [[[0, 0, 30, 0, 30, 15, 20, 15, 20, 10, 10, 10, 10, 20, 20, 20, 20, 15, 30, 15, 30, 30, 0, 30]], [[1800, -200]]],
    [
      [
        [0, 0, 10, 0, 10, 10, 0, 10],
        [10, 0, 20, 0, 20, 10, 10, 10],
      ],
      [[400]],
    ],
  ];
  for (const [rings, areas] of bodies) {
    const polygons = withoutDoubledEdges(
      rings.map((ring) => [ring]),
      [],
    );
    const doubled = polygons.map((polygon) => polygon.map(doubledArea));
    assert.deepEqual(doubled, areas);
  }
});
