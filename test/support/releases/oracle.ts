// The oracle of finished releases: derives names, listings and pages anew from the texts of the feature
// files, with none of the generator's code, and compares; so it does the texts of each geometry. Every release of
// `buildRelease` passes it, and so does the sample.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, inflateRawSync } from 'node:zlib';
import type { Geometry } from 'geojson';
import { decodeCells } from '../../../format/cells.ts';
import { elementAt } from '../../../format/element-at.ts';
import { foldText } from '../../../format/fold-text.ts';
import { pointAt } from '../../../format/grid.ts';
import {
  alonePath,
  CHECKSUMS_FILE,
  cellsPath,
  featureFilePath,
  indexPath,
  type ListingKey,
  manifestPath,
  namesPath,
  neighboursPath,
  neighboursTablePath,
  pagePath,
  RELEASE_FILE,
  releasePath,
  tableDigestsPath,
  tileDigestsPath,
  tilesPath,
  unitsTablePath,
  wordsPath,
} from '../../../format/layout.ts';
import type { LevelSummary } from '../../../format/level-json.ts';
import {
  FEATURES_PER_FILE,
  FORMATS,
  FRAMES,
  type Geometry as GeometryName,
  LEVELS,
  type Level,
  levelName,
} from '../../../format/levels.ts';
import { PAGE_CAPS } from '../../../format/page-caps.ts';
import { positionsIn } from '../../../format/positions.ts';
import type { Release } from '../../../format/release-json.ts';
import { encodeLevel } from '../../../format/write/level.ts';
import { decimalOf } from '../even-odd.ts';
import { filesUnder } from '../files.ts';
import { type PlacedLevel, placedLevel } from '../places.ts';
import { featureOf, type JsonFeature } from './exact-json.ts';
import { assertNeighbours, nestingIn } from './neighbours-oracle.ts';
import { parsedToJson } from './parsed-to-json.ts';
import { assertParts } from './parts-oracle.ts';
import { readIndex, readRelease, readTables } from './read-index.ts';
import { areaIn, viewIn } from './view-oracle.ts';

/** The beginning of a feature's text. */
const FEATURE = /^\{"type":"Feature","id":(\d+)(?:,"bbox":\[([^\]]*)\])?,"properties":\{"fid":\1[,}]/;

/** A unit as its text has it. */
interface Unit extends JsonFeature {
  line: Buffer;
  fid: number;
  bbox: number[] | undefined;
  /** Its GIDs of the levels 0 to its own; null for none. */
  gids: readonly (string | null)[];
}

/** A level as its feature files have it. */
interface Units {
  level: Level;
  summary: LevelSummary;
  units: readonly Unit[];
}

/**
 * Checks a release of an output folder.
 * @throws AssertionError that names the file that is not what its features make
 */
export function assertDerived(out: string, id: string): void {
  const root = join(out, releasePath(id));
  const release = readRelease(root);
  const levels = release.levels.map((summary) => unitsOf(root, summary));
  const filled = levels.filter(({ units }) => units.length > 0);
  const files = [CHECKSUMS_FILE, RELEASE_FILE];
  for (const units of levels) {
    const { level } = units;
    const text = textOf(root, namesPath(level));
    const got = linesOf(text).map((line): unknown[] => JSON.parse(String(line)));
    const names = namesOf(units, filled).map((unit, position) => [
      ...unit,
      viewIn(elementAt(units.units, position), release.precision),
      insideIn(units, position, filled),
      parentsIn(units, position, filled),
      areaNear(elementAt(units.units, position), got[position + 1]?.[NAME_COLUMNS.indexOf('area')]),
      othersIn(units, position),
      ...codesIn(units, position),
      ...languagesIn(units, position),
    ]);
    assertSame(
      text,
      [[...NAME_COLUMNS, ...taggedNames(units.summary)], ...names].map((name) => `${JSON.stringify(name)}\n`),
      namesPath(level),
    );
    const featureFiles = Math.ceil(units.units.length / FEATURES_PER_FILE[level]);
    assertWords(root, units);
    const lines = units.units.map(({ line }) => line.toString());
    const placed = placedLevel(lines, release.precision);
    assertParts(readIndex(root, level), placed);
    files.push(manifestPath(level), indexPath(level), namesPath(level), wordsPath(level));
    if (release.cells) {
      files.push(cellsPath(level));
      assertCells(root, release, units, placed);
    }
    const below = filled.find((other) => other.level > level);
    const nesting = below === undefined ? null : nestingIn(level, units.units, below.units);
    assert.equal(
      units.summary.nesting,
      nesting === null ? null : Math.floor(1e6 * nesting) / 1e6,
      `${levelName(level)}: nesting`,
    );
    if (release.neighbours) {
      files.push(neighboursPath(level), neighboursTablePath(level));
      const bordered = units.units.map(({ fid, gids, geometry }) => ({ fid, gid: gids[level] ?? null, geometry }));
      assertNeighbours(root, level, units.summary, bordered, release.precision);
    }
    if (units.summary.tiles !== undefined) files.push(tilesPath(level), tileDigestsPath(level));
    if (release.parquet && units.units.length > 0) files.push(unitsTablePath(level), tableDigestsPath(level));
    const geometries = assertGeometries(root, release, units);
    for (const geometry of geometries) files.push(indexPath(level, geometry));
    for (const geometry of ['full', ...geometries] as const)
      for (let file = 0; file < featureFiles; file++)
        files.push(featureFilePath(level, file, geometry), alonePath(level, file, geometry));
    assertAlone(root, level, geometries);
    files.push(...assertPages(root, release, units));
  }
  assert.deepEqual(filesUnder(root), files.sort(), 'the files of the release');
}

/** Points of each level that are looked up in its cells. */
const POINTS_MAX = 8;

/**
 * Compares the directory of a level's cells with the level, and what they find at some positions of its rings with
 * even-odd.
 */
function assertCells(
  root: string,
  { precision }: Release,
  { level, summary, units }: Units,
  { rings, containing }: PlacedLevel,
): void {
  const path = cellsPath(level);
  const bytes = readFileSync(join(root, path));
  const cells = decodeCells(bytes, path, { features: units.length, precision });
  const directory = bytes.subarray(0, cells.bytes);
  assert.equal(cells.fileBytes, bytes.length, path);
  const sum = createHash('sha256').update(directory).digest('hex');
  assert.deepEqual(summary.cells?.directory, { bytes: directory.length, sha256: sum }, path);
  const corners = rings.flatMap(([ring]) => ring?.slice(0, 1) ?? []);
  for (let i = 0; i < corners.length; i += Math.ceil(corners.length / POINTS_MAX)) {
    const [x, y] = elementAt(corners, i);
    const [longitude, latitude] = [x, y].map((units) => decimalOf(BigInt(units), precision));
    const point = pointAt(longitude ?? '', latitude ?? '', precision);
    // Beyond the map, which the data may be.
    if (point === undefined) continue;
    const cell = cells.cellAt(point);
    const { offset, length } = cells.rangeOf(cell);
    const found = cells.unitsAt(point, cell, bytes.subarray(offset, offset + length), path);
    assert.deepEqual(found, containing(longitude ?? '', latitude ?? ''), `${path}: ${longitude},${latitude}`);
  }
}

function textOf(root: string, path: string): Buffer {
  return gunzipSync(readFileSync(join(root, path)));
}

/** The lines of a text, each with its line feed. */
function linesOf(text: Buffer): Buffer[] {
  const lines: Buffer[] = [];
  for (let start = 0, end = 0; start < text.length; start = end) {
    end = text.indexOf('\n', start) + 1 || text.length;
    lines.push(text.subarray(start, end));
  }
  return lines;
}

/** Reads the texts of a level; each must be a feature. */
function unitsOf(root: string, summary: LevelSummary): Units {
  const { level, gidColumns, features } = summary;
  const paths = Array.from({ length: summary.featureFiles.files }, (_, file) => featureFilePath(level, file));
  const units = paths
    .flatMap((path) => linesOf(textOf(root, path)))
    .map((line, i): Unit => {
      const read = featureOf(line);
      const [, id, bbox] =
        FEATURE.exec(line.toString('utf8', 0, 300)) ??
        assert.fail(`${levelName(level)}[${i}]: ${line.subarray(0, 300)}`);
      assert.deepEqual([String(read.id), String(read.properties['fid'])], [id, id], `${levelName(level)}[${i}]`);
      assert.equal(bbox === undefined, read.geometry === null, `${levelName(level)} fid ${id}: bbox`);
      const gids = gidColumns.map((column) => textIn(read.properties, column));
      return { ...read, line, fid: Number(id), gids, bbox: bbox?.split(',').map(Number) };
    });
  assert.equal(units.length, features, `${levelName(level)}: features`);
  const fids = units.map(({ fid }) => fid);
  const ascending = [...new Set(fids)].sort((a, b) => a - b);
  assert.deepEqual(fids, ascending, `${levelName(level)}: the order of fids`);
  return { level, summary, units };
}

const GEOMETRY_MEMBER = '"geometry":';

/**
 * Compares the texts of each other geometry with the full ones: they may differ in nothing but the geometry, which is
 * of its kind. @returns the geometries
 */
function assertGeometries(root: string, { geometries }: Release, { level, summary, units }: Units): GeometryName[] {
  const others = geometries.filter((geometry) => geometry !== 'full');
  assert.deepEqual(Object.keys(summary.geometries), others, `${levelName(level)}: geometries`);
  for (const geometry of others) {
    const { files } = summary.geometries[geometry]?.featureFiles ?? assert.fail(`${levelName(level)}: ${geometry}`);
    const paths = Array.from({ length: files }, (_, file) => featureFilePath(level, file, geometry));
    const lines = paths.flatMap((path) => linesOf(textOf(root, path)));
    assert.equal(lines.length, units.length, `${levelName(level)}: features of ${geometry}`);
    for (const [position, line] of lines.entries()) {
      const unit = elementAt(units, position);
      const where = `${levelName(level)} fid ${unit.fid}: ${geometry}`;
      const { type } = (unit.geometry ?? {}) as Partial<Geometry>;
      const isArea = type === 'Polygon' || type === 'MultiPolygon';
      const own: Partial<Geometry> | null = JSON.parse(line.toString()).geometry;
      // A geometry has no member of that name.
      const head = line.subarray(0, line.lastIndexOf(GEOMETRY_MEMBER) + GEOMETRY_MEMBER.length);
      assert.ok(unit.line.subarray(0, head.length).equals(head), `${where}: another head than with the full geometry`);
      if (geometry === 'none' || unit.geometry === null) assert.equal(own, null, where);
      else if (geometry === 'point' && isArea) assert.equal(own?.type, 'Point', where);
      else if (isArea) assert.match(own?.type ?? '', /^(Multi)?Polygon$/, where);
      else assert.notEqual(own, null, where);
    }
  }
  return others;
}

/** Compares the data of every chained feature alone with its line in the feature file. */
function assertAlone(root: string, level: Level, geometries: readonly GeometryName[]): void {
  const index = readIndex(root, level);
  for (const [geometry, table] of [['full', index] as const, ...readTables(root, index)]) {
    const { aloneStart } = table.arrays;
    for (let file = 0; file < table.files; file++) {
      const path = alonePath(level, file, geometry);
      const bytes = readFileSync(join(root, path));
      const first = file * table.perFile;
      const offset = (position: number): number => elementAt(aloneStart, position) - elementAt(aloneStart, first);
      assert.equal(bytes.length, offset(table.fileEnd(file)), path);
      for (const [i, line] of linesOf(textOf(root, featureFilePath(level, file, geometry))).entries()) {
        const alone = bytes.subarray(offset(first + i), offset(first + i + 1));
        if (alone.length === 0) continue;
        const text = inflateRawSync(Buffer.concat([alone, Buffer.of(3, 0)]));
        assert.ok(text.equals(line), `${path}: the text of position ${first + i} alone`);
      }
    }
  }
  assert.deepEqual(index.geometries, geometries);
}

/** A property as text; null for none. */
function textIn(properties: JsonFeature['properties'], column: string): string | null {
  const value = Object.hasOwn(properties, column) ? properties[column] : null;
  return value === null || value === '' ? null : typeof value === 'string' ? value : (parsedToJson(value) ?? null);
}

const NAME_COLUMNS = 'fid gid name type parent children view inside parents area others'.split(' ');

/** A property as a name or a type. */
function labelIn(properties: JsonFeature['properties'], column: string): string | null {
  const text = column === '' ? null : textIn(properties, column);
  // GADM writes NA where a unit has no name or type.
  return text === 'NA' && /^(NAME|TYPE|ENGTYPE|VARNAME|NL_NAME)_[0-5]$/i.test(column) ? null : text;
}

/** Of each level below that has units of a unit: the level, their number, and their commonest type. */
function insideIn({ level, units }: Units, position: number, filled: readonly Units[]): unknown[][] {
  const gid = elementAt(units, position).gids[level] ?? null;
  return filled.flatMap((deeper) => {
    if (gid === null || deeper.level <= level) return [];
    const own = deeper.units.filter(({ gids }) => gids[level] === gid);
    const types = own.flatMap(
      ({ properties }) => labelIn(properties, deeper.summary.typeColumn) ?? deeper.summary.typeName ?? [],
    );
    const count = (type: string): number => types.filter((other) => other === type).length;
    const commonest = [...new Set(types)].sort((a, b) => count(b) - count(a))[0] ?? null;
    return own.length === 0 ? [] : [[deeper.level, own.length, commonest]];
  });
}

/** Its GIDs of the levels above, unless they are its parent's and that one's. */
function parentsIn({ level, units }: Units, position: number, filled: readonly Units[]): unknown[] | null {
  const all = LEVELS.slice(0, level).map((n) => elementAt(units, position).gids[n] ?? null);
  const above = filled.findLast((other) => other.level < level);
  const gid = above === undefined ? null : elementAt(all, above.level);
  const parent = gid === null ? undefined : above?.units.find(({ gids }) => gids[above.level] === gid);
  const chain = all.map((_, n) => (n === above?.level ? gid : (parent?.gids[n] ?? null)));
  return all.every((own, n) => own === chain[n]) ? null : all.map((own) => (own === null ? null : shortened(own)));
}

/** Its names in the search columns. */
function othersIn({ summary, units }: Units, position: number): string[] {
  const { properties } = elementAt(units, position);
  const texts = summary.searchColumns.flatMap((column) => {
    const text = textIn(properties, column) ?? '';
    return text === 'NA' && /^(VARNAME|NL_NAME)_[0-5]$/i.test(column) ? [] : text.split('|');
  });
  let length = 0;
  return [...new Set(texts)].filter((text) => {
    const isKept = text !== '' && length + text.length <= 10_000;
    length += isKept ? text.length : 0;
    return isKept;
  });
}

/** The names of the columns of codes and languages. */
function taggedNames({ codeColumns = {}, nameColumns = {} }: LevelSummary): string[] {
  const sorted = (columns: object, kind: string) =>
    Object.keys(columns)
      .sort()
      .map((tag) => `${kind}:${tag}`);
  return [...sorted(codeColumns, 'code'), ...sorted(nameColumns, 'name')];
}

/** Its codes, sorted by key. */
function codesIn({ summary: { codeColumns = {} }, units }: Units, position: number): (string | null)[] {
  const { properties } = elementAt(units, position);
  const keys = Object.keys(codeColumns).sort();
  return keys.map((key) => {
    const text = textIn(properties, codeColumns[key] ?? '');
    const isNamibia = key === 'iso2' && text === 'NA';
    return text === null || (/^(-99|-1|NA|N\/A|.*~)$/s.test(text) && !isNamibia) ? null : shortened(text);
  });
}

/** Its names in languages, sorted by tag. */
function languagesIn({ summary: { nameColumns = {} }, units }: Units, position: number): (string | null)[] {
  const { properties } = elementAt(units, position);
  return Object.keys(nameColumns)
    .sort()
    .map((tag) => firstIn(labelIn(properties, nameColumns[tag] ?? '')))
    .map((text) => (text === null ? null : shortened(text)));
}

/** The first of the names that a text has. */
function firstIn(text: string | null): string | null {
  return text?.split('|').filter((name) => name !== '')[0] ?? null;
}

/** What names say of its area, if it is right; otherwise the area. */
function areaNear({ bbox: [west = 0, south = 0, east = 0, north = 0] = [], geometry }: Unit, got: unknown): unknown {
  const area = areaIn(geometry);
  if (area === null || typeof got !== 'number') return area;
  // The area of a line there and back is the rounding of its box: a billionth or two. A degree squared has 12,400 km2.
  const rounding = 2e-9 * 12_400 * Math.abs((east - west) * (north - south));
  return Math.abs(got - area) <= 1e-4 * area + rounding + 1e-9 ? got : area;
}

/** The values of a level's names but for those of maps. @param filled the levels that have units, ascending */
function namesOf({ level, summary, units }: Units, filled: readonly Units[]): unknown[][] {
  const parent = filled.findLast((other) => other.level < level)?.level;
  const below = filled.filter((other) => other.level > level).map((other) => positionsByGid(other.units, level));
  return units.map(({ fid, gids, properties }) => {
    const gid = gids[level] ?? null;
    const above = parent === undefined ? null : (gids[parent] ?? null);
    return [
      fid,
      gid,
      labelIn(properties, summary.nameColumn),
      labelIn(properties, summary.typeColumn) ?? summary.typeName ?? null,
      above,
      gid === null ? 0 : (below.find((units) => units.has(gid))?.get(gid)?.length ?? 0),
    ].map((value) => (typeof value === 'string' ? shortened(value) : value));
  });
}

/** A text as names have it: no more than 10,000 characters, the last one whole. */
function shortened(text: string): string {
  return text.length > 10_000 ? text.slice(0, 10_000).replace(/[\ud800-\udbff]$/, '') : text;
}

/**
 * Compares the words of a level with those of its units' names: each word of a name, with what follows it, and the unit
 * that has it.
 */
function assertWords(root: string, { level, summary, units }: Units): void {
  const { nameColumn, searchColumns } = summary;
  const names = new Set<string>();
  for (const [position, { properties }] of units.entries()) {
    const named = (column: string): string => {
      const text = column === '' ? null : textIn(properties, column);
      return text === null || (text === 'NA' && /^(NAME|VARNAME|NL_NAME)_[0-5]$/i.test(column)) ? '' : text;
    };
    const languages = Object.values(summary.nameColumns ?? {}).map((column) => firstIn(named(column)) ?? '');
    const texts = [named(nameColumn), ...languages, ...searchColumns.flatMap((column) => named(column).split('|'))];
    const forms = texts.flatMap(wholeNamesIn);
    for (const text of forms.flatMap((name) => [name, name.replace(/['’‘`ʻʼʹʺʽ]/g, '')])) {
      // Of a long name its first 500 characters count.
      const folded = Array.from(foldText(text)).slice(0, 500).join('').trimEnd();
      if (folded !== '') names.add(`${folded}\0${position}`);
    }
  }
  const bytes = readFileSync(join(root, wordsPath(level)));
  const u32 = (at: number): number => bytes.readUInt32LE(at);
  const [own, keys] = [u32(16), u32(20)];
  const [unitAt, keyAt] = [32 + 4 * (own + 1), 32 + 4 * (2 * own + 1)];
  const textAt = keyAt + 8 * keys;
  const read = Array.from({ length: own }, (_, i) => {
    const [from, to] = [u32(32 + 4 * i), u32(36 + 4 * i)];
    return { from, text: bytes.toString('utf8', textAt + from, textAt + to - 1), unit: u32(unitAt + 4 * i) };
  });
  const found = read.map(({ text, unit }) => `${text}\0${unit}`);
  assert.deepEqual(new Set(found), names, `${wordsPath(level)}: names`);
  assert.equal(found.length, names.size, `${wordsPath(level)}: a name twice`);
  const wanted = read.flatMap(({ from, text }, i) =>
    Array.from(text.matchAll(/[^ ]+/g), ({ index }) => `${from + Buffer.byteLength(text.slice(0, index))} ${i}`),
  );
  const got = Array.from({ length: keys }, (_, i) => `${u32(keyAt + 4 * i)} ${u32(keyAt + 4 * (keys + i))}`);
  assert.deepEqual(got.toSorted(), wanted.sort(), `${wordsPath(level)}: keys`);
  const texts = got.map((key) => {
    const [at = '', name = ''] = key.split(' ');
    const { from, text } = elementAt(read, Number(name));
    return Buffer.from(text).subarray(Number(at) - from);
  });
  for (const [i, text] of texts.entries())
    assert.ok(i === 0 || Buffer.compare(elementAt(texts, i - 1), text) <= 0, `${wordsPath(level)}: key ${i} descends`);
}

/** A name, those between its slashes, and the same with an article from the end at the front; of a long one as folded. */
function wholeNamesIn(text: string): string[] {
  const name = text.slice(0, 2000).replace(/[\ud800-\udbff]$/, '');
  const parts = name.split('/').flatMap((part) => part.trim() || []);
  const moved = parts.flatMap((part) => {
    const [, rest = '', article = ''] = /^(.*\S) *, *(\p{L}{1,4}['’]?)$/su.exec(part) ?? [];
    const [, before = rest, inBrackets = article] = /^(.*\S) *\((\p{L}{1,4}['’]?)\)$/su.exec(part) ?? [];
    return before === '' ? [] : [`${inBrackets}${/['’]$/.test(inBrackets) ? '' : ' '}${before}`];
  });
  return [name, ...parts, ...moved];
}

/** The positions of the units of each GID of a level above, or of their own, ascending by GID. */
function positionsByGid(units: readonly Unit[], column: Level): Map<string, number[]> {
  const positions = new Map<string, number[]>();
  for (const [position, { gids }] of units.entries()) {
    const gid = gids[column] ?? null;
    if (gid === null) continue;
    const own = positions.get(gid) ?? [];
    own.push(position);
    positions.set(gid, own);
  }
  return new Map([...positions].sort(([a], [b]) => Buffer.compare(Buffer.from(a), Buffer.from(b))));
}

/**
 * Compares listings and pages of a level, and the index in which they are looked up.
 * @returns the paths of the pages
 */
function assertPages(root: string, release: Release, { level, summary, units }: Units): string[] {
  const index = readIndex(root, level);
  const listings: { key: ListingKey; positions: number[] }[] = [{ key: 'all', positions: [...units.keys()] }];
  for (const [c, column] of index.columns.entries()) {
    const where = `${indexPath(level)}: column ${c}`;
    assert.equal(column.name, summary.gidColumns[c] ?? '', where);
    const expected = positionsByGid(units, elementAt(LEVELS, c));
    const found = Array.from({ length: column.size }, (_, number): [string, number[]] => {
      const positions = column.positionsAt(number);
      return [column.gidAt(number), [...positionsIn(positions.slice(0, positions.count))]];
    });
    assert.deepEqual(found, [...expected], where);
    if (c < level)
      listings.push(...Array.from(expected, ([gid, positions]) => ({ key: { column: c, gid }, positions })));
  }
  const tables = readTables(root, index);
  const { manifest, index: bytes, tables: encoded } = encodeLevel(release.release, index, tables);
  assert.equal(readFileSync(join(root, manifestPath(level)), 'utf8'), manifest, 'the form of the manifest');
  assert.ok(
    readFileSync(join(root, indexPath(level))).equals(bytes),
    `${indexPath(level)}: bytes that belong to no array`,
  );
  for (const [geometry, table] of encoded) {
    const path = indexPath(level, geometry);
    assert.ok(readFileSync(join(root, path)).equals(table), `${path}: bytes that belong to no array`);
  }
  assert.equal(summary.listings, units.length === 0 ? 0 : listings.length, `${levelName(level)}: listings`);
  const stored = { all: listings, unfiltered: listings.slice(0, 1), none: [] }[release.storedPages];
  return FORMATS.flatMap((format) => {
    const [cap, { before, separator, after }] = [PAGE_CAPS[format][level], FRAMES[format]];
    return stored.flatMap(({ key, positions }) =>
      Array.from({ length: Math.ceil(positions.length / cap) }, (_, page) => {
        const path = pagePath(level, format, key, page);
        const held = positions.slice(page * cap, (page + 1) * cap).map((position) => elementAt(units, position).line);
        const texts = held.map((line, i) => (i === held.length - 1 ? line : `${line.subarray(0, -1)}${separator}`));
        assertSame(textOf(root, path), [before, ...texts, after], path);
        return path;
      }),
    );
  });
}

/** Compares a text with its lines; shows where they differ, not all of both. */
function assertSame(text: Buffer, expected: readonly (Buffer | string)[], path: string): void {
  const wanted = Buffer.concat(expected.map((part) => (typeof part === 'string' ? Buffer.from(part) : part)));
  if (text.equals(wanted)) return;
  const [gotLines, lines] = [linesOf(text), linesOf(wanted)];
  const at = [...gotLines, Buffer.of()].findIndex((line, i) => !lines[i]?.equals(line));
  assert.fail(`${path}: line ${at + 1} is ${gotLines[at]?.subarray(0, 300)}, expected ${lines[at]?.subarray(0, 300)}`);
}
