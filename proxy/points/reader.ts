// Looks points up in a browser or in Node, without the service: the same code as the service's own, as one file without
// dependencies (.package/bundle-reader.js makes it; the package exports it as `./points`).
import { type Cells, decodeCells } from '../../format/cells.ts';
import { elementAt } from '../../format/element-at.ts';
import { isDecimal, plainDecimal, pointAt } from '../../format/grid.ts';
import { FormatError } from '../../format/parse.ts';
import { baseUrlOf } from './base-url.ts';
import { type UnitName, unitNames } from './unit-names.ts';

export type { UnitName };

/** What a level is loaded from. */
export interface LevelSource {
  /** Base URL of the service, with or without `/api/v1`. */
  url: string;
  /** Such as `lv3`. */
  level: string;
  /** Not for a public service. */
  token?: string | undefined;
}

/** How often a level is asked for, if the release of its names is no longer hosted. */
const ATTEMPTS = 3;
const OK = 200;
const GONE = 410;

/**
 * Loads a level from a service: its cells and its names, of the same release.
 * @throws Error with the service's answer if that is refused; FormatError if it is damaged
 */
export async function loadLevel({ url, level, token }: LevelSource): Promise<LevelPoints> {
  const headers = token === undefined ? undefined : { authorization: `Bearer ${token}` };
  const base = baseUrlOf(url);
  const get = async (path: string, allowed: number): Promise<Response> => {
    const answer = await fetch(`${base}/api/v1/${path}`, { headers: headers ?? {} });
    if (!answer.ok && answer.status !== allowed) throw new Error(`${answer.status}: ${await answer.text()}`);
    return answer;
  };
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const names = await get(`names/${level}`, OK);
    const release = encodeURIComponent(names.headers.get('boundaries-release') ?? '');
    const [text, cells] = await Promise.all([names.text(), get(`download/${level}.cells?release=${release}`, GONE)]);
    if (cells.status !== GONE) return openLevel(new Uint8Array(await cells.arrayBuffer()), text);
  }
  throw new Error(`the release of ${url} is replaced again and again`);
}

/**
 * A level from its files: `cells.bin`, and the text of `names.jsonl.gz`.
 * @throws FormatError if they are damaged, or not of one release
 */
export function openLevel(cells: Uint8Array, names: string): LevelPoints {
  return new LevelPoints(cells, [...unitNames(names, 'names')]);
}

/** The units of a level, by place. */
export class LevelPoints {
  /** All of them, ascending by fid. */
  readonly units: readonly UnitName[];
  readonly #bytes: Uint8Array;
  readonly #cells: Cells;

  constructor(bytes: Uint8Array, units: readonly UnitName[]) {
    this.#bytes = bytes;
    this.#cells = decodeCells(bytes, 'cells');
    this.units = units;
    const { features, fileBytes } = this.#cells;
    if (bytes.length !== fileBytes) throw new FormatError('cells', `${bytes.length} bytes, expected ${fileBytes}`);
    if (features !== units.length) throw new FormatError('cells', `of ${features} units, names of ${units.length}`);
  }

  /**
   * The units that contain a point, ascending by fid: exactly, as the service finds them.
   * @param longitude,latitude degrees: numbers, or plain decimals as text, of which every digit counts
   * @throws RangeError if they are none, or out of range
   */
  at(longitude: number | string, latitude: number | string): UnitName[] {
    const [x, y] = [decimalOf(longitude), decimalOf(latitude)];
    const point = isDecimal(x, 180) && isDecimal(y, 90) ? pointAt(x, y, this.#cells.precision) : undefined;
    if (point === undefined) throw new RangeError(`no point: ${longitude}, ${latitude}`);
    const cell = this.#cells.cellAt(point);
    const { from, to } = this.#cells.rangeOf(cell);
    const found = this.#cells.unitsAt(point, cell, this.#bytes.subarray(from, to), 'cells');
    return found.map((position) => elementAt(this.units, position));
  }
}

/** The decimals that a number is written with, without an exponent. */
function decimalOf(value: number | string): string {
  return plainDecimal(String(value).trim());
}
