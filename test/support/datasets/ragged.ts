// Fields of squares with ragged sides that neighbours share, for the tests of borders.

/** Positions of a side from its western or southern end, without the other end. */
type Side<Place> = (column: number, row: number, isAcross: boolean) => readonly Place[];

/** The closed rings of a field, row by row, counter-clockwise. @param sideOf is asked once for each side */
export function ragged<Place>(columns: number, rows: number, sideOf: Side<Place>): Place[][] {
  const known = new Map<string, readonly Place[]>();
  const side: Side<Place> = (...place) => {
    const own = known.get(place.join()) ?? sideOf(...place);
    known.set(place.join(), own);
    return own;
  };
  return Array.from({ length: columns * rows }, (_, i) => {
    const [column, row] = [i % columns, Math.floor(i / columns)];
    const [south, north] = [side(column, row, true), side(column, row + 1, true)];
    const [west, east] = [side(column, row, false), side(column + 1, row, false)];
    const corner = side(column + 1, row + 1, true).slice(0, 1);
    return [...south, ...east, ...corner, ...north.toReversed(), ...west.toReversed()];
  });
}
