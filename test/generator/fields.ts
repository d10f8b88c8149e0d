// Fields of squares with ragged sides that neighbours share, as WKT, for the tests of what is simplified.

/** Positions of a side from its western or southern end, without the other end. */
type Side = (column: number, row: number, isAcross: boolean) => string[];

/** The rings of a field, row by row. @param sideOf is asked once for each side */
export function ragged(columns: number, rows: number, sideOf: Side): string[] {
  const known = new Map<string, string[]>();
  const side: Side = (...place) => {
    const own = known.get(place.join()) ?? sideOf(...place);
    known.set(place.join(), own);
    return own;
  };
  return Array.from({ length: columns * rows }, (_, i) => {
    const [column, row] = [i % columns, Math.floor(i / columns)];
    const [south, north] = [side(column, row, true), side(column, row + 1, true)];
    const [west, east] = [side(column, row, false), side(column + 1, row, false)];
    const [corner] = side(column + 1, row + 1, true);
    return `(${[...south, ...east, corner, ...north.toReversed(), ...west.toReversed()].join()})`;
  });
}
