// Writes the table of a level, GeoParquet 1.1, group of rows by group, and beside it the digests of its blocks.
import { join } from 'node:path';
import { ByteWriter, ParquetWriter } from 'hyparquet-writer';
import { TABLE_BLOCK_BYTES, type TableFile } from '../../format/checked-files.ts';
import { MEMBER_HEADER } from '../../format/gzip.ts';
import { tableDigestsPath, unitsTablePath } from '../../format/layout.ts';
import type { LevelAbout } from '../../format/level-json.ts';
import type { Level } from '../../format/levels.ts';
import type { ReleaseContents } from '../../format/release-json.ts';
import { gzipMember } from '../../format/write/gzip.ts';
import { createDigestedFile } from '../files/digested-file.ts';
import type { LevelStore } from '../store/level-store.ts';
import { BBOX_SIDES, type DrawnColumn, RowGroups } from './row-groups.ts';
import { BBOX_COLUMN, GEOMETRY_COLUMNS, propertyColumns } from './table-columns.ts';
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
  { geometries, precision }: Pick<ReleaseContents, 'geometries' | 'precision'>,
  about: TableAbout,
): TableFile {
  const [path, beside] = [join(out, unitsTablePath(level)), join(out, tableDigestsPath(level))];
  const file = createDigestedFile(path, beside, TABLE_BLOCK_BYTES);
  const columns = propertyColumns(about.about.columns ?? []);
  const inTable = new Map(columns.map(({ name, property }) => [property, name]));
  const named = (property: string): string | undefined => (property === '' ? undefined : inTable.get(property));
  const drawn = geometries.filter((name) => name in GEOMETRY_COLUMNS);
  const { gidColumns, nameColumn, typeColumn } = about.about;
  const chosenBy = ['fid', ...[...gidColumns, nameColumn].flatMap((property) => named(property) ?? [])];
  const names = drawn.flatMap((name) => GEOMETRY_COLUMNS[name] ?? []);
  const groups = new RowGroups(columns, names, chosenBy, (columnData) => writer.write({ columnData }));
  const writer = new ParquetWriter({
    writer: new GroupWriter(file.write),
    schema: groups.schema,
    codec: 'GZIP',
    compressors: { GZIP: (bytes) => gzipMember(bytes, MEMBER_HEADER, GZIP_LEVEL) },
    statistics: false,
  });
  let rows = 0;
  for (const row of tableRows(store, drawn, precision)) {
    groups.add(row);
    rows++;
  }
  groups.end();
  const renamed = columns.filter(({ name, property }) => name !== property);
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
    renamed: Object.fromEntries(renamed.map(({ name, property }) => [name, property])),
  };
  const keys = Object.entries({ geo: geoKey(groups.drawn), boundaries });
  writer.kvMetadata = keys.map(([key, value]) => ({ key, value: JSON.stringify(value) }));
  writer.finish();
  return { ...file.close(), rows };
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

/** Takes the bytes of a table, which are written at the end of each group, and after the last. */
class GroupWriter extends ByteWriter {
  readonly #write: (bytes: Buffer) => void;

  constructor(write: (bytes: Buffer) => void) {
    super();
    this.#write = write;
  }

  flush(): void {
    // The buffer is used again.
    this.#write(Buffer.from(this.getBytes()));
    this.index = 0;
  }

  override finish(): void {
    this.flush();
  }
}
