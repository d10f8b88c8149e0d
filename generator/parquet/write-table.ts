// Writes the table of a level, GeoParquet 1.1, group of rows by group, and beside it the digests of its blocks.
import { join } from 'node:path';
import { ByteWriter, ParquetWriter } from 'hyparquet-writer';
import { MEMBER_HEADER } from '../../format/gzip.ts';
import { tableDigestsPath, unitsTablePath } from '../../format/layout.ts';
import type { Level } from '../../format/levels.ts';
import {
  type CheckedFile,
  type LevelAbout,
  type ReleaseShape,
  TABLE_BLOCK_BYTES,
  type TableFile,
} from '../../format/release.ts';
import { tileDigestOf } from '../../format/tiles.ts';
import { gzipMember } from '../../format/write/gzip.ts';
import { createOutputFile } from '../files/output-file.ts';
import type { LevelStore } from '../store/level-store.ts';
import { curveOrder } from './curve-order.ts';
import { BBOX_SIDES, type DrawnColumn, RowGroups } from './row-groups.ts';
import { BBOX_COLUMN, GEOMETRY_COLUMNS, type PropertyColumn, propertyColumns } from './table-columns.ts';
import { tableRows } from './table-rows.ts';

/** What a table says of itself. Plain data. */
export interface TableAbout {
  about: LevelAbout;
  attribution: readonly string[];
  licence: string | undefined;
}

/** Levels above 5 take much longer for little. */
const GZIP_LEVEL = 5;

/**
 * Writes the table of a level that has units.
 * @param out the release's folder
 */
export function writeTable(
  out: string,
  level: Level,
  store: LevelStore,
  { geometries, precision }: Pick<ReleaseShape, 'geometries' | 'precision'>,
  about: TableAbout,
): TableFile {
  const file = new TableWriter(join(out, unitsTablePath(level)));
  const columns = propertyColumns(about.about.columns ?? []);
  const inTable = new Map(columns.map(({ name, property }) => [property, name]));
  const named = (property: string): string | undefined => (property === '' ? undefined : inTable.get(property));
  const drawn = geometries.filter((name) => GEOMETRY_COLUMNS[name] !== undefined);
  const { gidColumns, nameColumn, typeColumn } = about.about;
  const chosenBy = ['fid', ...[...gidColumns, nameColumn].flatMap((property) => named(property) ?? [])];
  const names = drawn.flatMap((name) => GEOMETRY_COLUMNS[name] ?? []);
  const groups = new RowGroups(columns, names, chosenBy, (columnData) => writer.write({ columnData }));
  const writer = new ParquetWriter({
    writer: file,
    schema: groups.schema,
    codec: 'GZIP',
    compressors: { GZIP: (bytes) => gzipMember(bytes, MEMBER_HEADER, GZIP_LEVEL) },
    statistics: false,
  });
  const order = curveOrder(store.readIndex());
  for (const row of tableRows(store, order, drawn, precision)) groups.add(row);
  groups.end();
  const boundaries = {
    level,
    attribution: about.attribution,
    licence: about.licence,
    columns: {
      gid: named(gidColumns.at(-1) ?? ''),
      name: named(nameColumn),
      type: named(typeColumn),
      parents: gidColumns.slice(0, -1).map((property) => named(property) ?? null),
    },
    renamed: renamedIn(columns),
  };
  writer.kvMetadata = [
    { key: 'geo', value: JSON.stringify(geoKey(groups.drawn)) },
    { key: 'boundaries', value: JSON.stringify(boundaries) },
  ];
  writer.finish();
  return { ...file.close(), rows: order.length, digests: file.writeDigests(join(out, tableDigestsPath(level))) };
}

/** The properties whose columns have other names, by these names. */
function renamedIn(columns: readonly PropertyColumn[]): Record<string, string> {
  const renamed = columns.filter(({ name, property }) => name !== property);
  return Object.fromEntries(renamed.map(({ name, property }) => [name, property]));
}

/** The key `geo` of GeoParquet. Without `crs` longitudes and latitudes are those of WGS 84 (OGC:CRS84). */
function geoKey(drawn: readonly DrawnColumn[]): object {
  const described = drawn.map(({ name, types, range }, at) => {
    const geometry_types = [...types].sort();
    const isPolygonal = types.size > 0 && geometry_types.every((type) => type.endsWith('Polygon'));
    const sides = BBOX_SIDES.map((side) => [side, [BBOX_COLUMN, side]]);
    const column = {
      encoding: 'WKB',
      geometry_types,
      edges: 'planar',
      ...(isPolygonal && { orientation: 'counterclockwise' }),
      ...(types.size > 0 && { bbox: range }),
      ...(at === 0 && { covering: { bbox: Object.fromEntries(sides) } }),
    };
    return [name, column];
  });
  return { version: '1.1.0', primary_column: GEOMETRY_COLUMNS.full, columns: Object.fromEntries(described) };
}

/** Takes the bytes of a table: at the end of each group, and before the end, they are written. */
class TableWriter extends ByteWriter {
  readonly #file: ReturnType<typeof createOutputFile>;
  readonly #digests: Buffer[] = [];
  /** Bytes of a block that is not complete. */
  #rest = Buffer.alloc(0);

  constructor(file: string) {
    super();
    this.#file = createOutputFile(file);
  }

  flush(): void {
    // The buffer is used again.
    const bytes = Buffer.from(this.getBytes());
    this.#file.write(bytes);
    let left = Buffer.concat([this.#rest, bytes]);
    for (; left.length >= TABLE_BLOCK_BYTES; left = left.subarray(TABLE_BLOCK_BYTES))
      this.#digests.push(tileDigestOf(left.subarray(0, TABLE_BLOCK_BYTES)));
    this.#rest = left;
    this.index = 0;
  }

  close(): CheckedFile {
    this.flush();
    if (this.#rest.length > 0) this.#digests.push(tileDigestOf(this.#rest));
    return this.#file.close();
  }

  /** Writes the digests of the blocks of a file that is closed. */
  writeDigests(file: string): CheckedFile {
    const output = createOutputFile(file);
    output.write(Buffer.concat(this.#digests));
    return output.close();
  }
}
