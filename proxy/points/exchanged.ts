// Has a table its longitudes in the column of latitudes, and the other way round?
import { elementAt } from '../../format/element-at.ts';
import { ownText } from '../../format/own-text.ts';
import type { LevelUnits } from './level-units.ts';
import { NOWHERE, PointChunk } from './look-up.ts';

/** Rows of the sample. */
const SAMPLE_ROWS = 1000;
/** More digits do not move a point out of a unit; longer texts are none. */
const TEXT_MAX_CHARS = 100;
/** Exchanged, so much of the sample is in units: some points are at sea. */
const SHARE_MIN = 0.9;

/** The first rows of a table that have a longitude and a latitude. */
export class ExchangedSample {
  readonly #points: (readonly [longitude: string, latitude: string])[] = [];

  add(longitude: string, latitude: string): void {
    if (this.#points.length === SAMPLE_ROWS || longitude === '' || latitude === '') return;
    const kept = (text: string): string => ownText(text.slice(0, TEXT_MAX_CHARS));
    this.#points.push([kept(longitude), kept(latitude)]);
  }

  /**
   * Are they in units if longitude and latitude are exchanged? To be asked where none is in one as it is.
   * @param precision decimals of the release's coordinates
   */
  isInUnits(levels: readonly LevelUnits[], precision: number): boolean {
    const chunk = new PointChunk(SAMPLE_ROWS, precision);
    for (const [longitude, latitude] of this.#points) chunk.add(latitude, longitude);
    const rows = chunk.sort();
    const found = levels.map((level) => chunk.lookUp(level, new Int32Array(SAMPLE_ROWS)));
    const inUnits = rows.filter((row) => found.some(({ first }) => elementAt(first, row) !== NOWHERE)).length;
    return inUnits > 0 && inUnits >= SHARE_MIN * this.#points.length;
  }
}
