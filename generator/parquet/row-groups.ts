// Gathers rows of a table to groups, column by column.
import type { ColumnSource, SchemaElement } from 'hyparquet-writer';
import { elementAt } from '../../format/element-at.ts';
import { type Box, grow, newBox } from '../rings/bbox.ts';
import { BBOX_COLUMN, PARQUET_TYPES, type PropertyColumn, tableValue } from './table-columns.ts';
import type { TableRow } from './table-rows.ts';

/** A group ends before it has more: of rows, or of bytes of geometries and texts, with some for each value. */
const GROUP = { rows: 4096, bytes: 16 << 20, value: 16 } as const;

/** The sides of a box, as a struct. */
export const BBOX_SIDES = ['xmin', 'ymin', 'xmax', 'ymax'] as const;

/** What the geometries of a column have been. */
export interface DrawnColumn {
  name: string;
  types: Set<string>;
  range: Box;
}

/** The groups of rows of a table. */
export class RowGroups {
  readonly columns: readonly PropertyColumn[];
  /** The columns with geometries, the primary one first. */
  readonly drawn: readonly DrawnColumn[];
  readonly #write: (group: ColumnSource[]) => void;
  /** The columns by which readers choose groups. */
  readonly #chosenBy: ReadonlySet<string>;
  #data: unknown[][] = [];
  #bytes = 0;

  /** @param chosenBy the names of the columns with statistics @param write takes each group */
  constructor(
    columns: readonly PropertyColumn[],
    geometries: readonly string[],
    chosenBy: readonly string[],
    write: (group: ColumnSource[]) => void,
  ) {
    this.columns = columns;
    this.drawn = geometries.map((name) => ({ name, types: new Set(), range: newBox() }));
    this.#chosenBy = new Set([...chosenBy, BBOX_COLUMN]);
    this.#write = write;
    this.#begin();
  }

  get schema(): SchemaElement[] {
    const properties = this.columns.map(({ name, type }, at): SchemaElement => {
      return { name, repetition_type: at === 0 ? 'REQUIRED' : 'OPTIONAL', ...PARQUET_TYPES[type] };
    });
    const names = [BBOX_COLUMN, ...this.drawn.map(({ name }) => name)];
    return [
      { name: 'schema', num_children: properties.length + names.length },
      ...properties,
      { name: BBOX_COLUMN, repetition_type: 'OPTIONAL', num_children: BBOX_SIDES.length },
      ...BBOX_SIDES.map((name): SchemaElement => ({ name, type: 'DOUBLE', repetition_type: 'REQUIRED' })),
      ...this.drawn.map(({ name }): SchemaElement => ({ name, type: 'BYTE_ARRAY', repetition_type: 'OPTIONAL' })),
    ];
  }

  add({ properties, geometries }: TableRow): void {
    const values = this.columns.map(({ property, type }) => tableValue(properties[property], type));
    const [full = null] = geometries;
    const bytes =
      GROUP.value * (values.length + geometries.length + 1) +
      values.reduce((sum: number, value) => sum + (typeof value === 'string' ? Buffer.byteLength(value) : 0), 0) +
      geometries.reduce((sum, geometry) => sum + (geometry?.wkb.length ?? 0), 0);
    const rows = elementAt(this.#data, 0).length;
    if (rows === GROUP.rows || (rows > 0 && this.#bytes + bytes > GROUP.bytes)) this.end();
    const bbox = full && Object.fromEntries(BBOX_SIDES.map((side, at) => [side, full.range[at]]));
    const row = [...values, bbox, ...geometries.map((geometry) => geometry?.wkb ?? null)];
    for (const [at, value] of row.entries()) elementAt(this.#data, at).push(value);
    for (const [at, geometry] of geometries.entries()) {
      if (geometry === null) continue;
      const { types, range } = elementAt(this.drawn, at);
      const [west, south, east, north] = geometry.range;
      types.add(geometry.type);
      grow(range, west, south);
      grow(range, east, north);
    }
    this.#bytes += bytes;
  }

  /** Ends the last group. */
  end(): void {
    const [data, properties] = [this.#data, this.columns.length];
    const names = [...this.columns.map(({ name }) => name), BBOX_COLUMN, ...this.drawn.map(({ name }) => name)];
    this.#begin();
    this.#write(
      names.map((name, at) => ({
        name,
        data: elementAt(data, at),
        statistics: this.#chosenBy.has(name),
        offsetIndex: false,
        // Geometries repeat so rarely that to look for it is not worth it.
        ...(at > properties && { encoding: 'PLAIN' as const }),
      })),
    );
  }

  #begin(): void {
    this.#data = Array.from({ length: this.columns.length + 1 + this.drawn.length }, () => []);
    this.#bytes = 0;
  }
}
