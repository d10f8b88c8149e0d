// Looks points up in a browser or in Node, without the service: the same code as the service's own, as one file without
// dependencies (.package/bundle-reader.js makes it; the package exports it as `./points`).
import { type Cells, decodeCells } from '../../format/cells.ts';
import { elementAt } from '../../format/element-at.ts';
import { isDecimal, plainDecimal, pointAt } from '../../format/grid.ts';
import { FormatError } from '../../format/parse.ts';
import { FORMAT_VERSION, versionProblem } from '../../format/version.ts';
import { baseUrlOf } from '../tables/base-url.ts';
import { type UnitName, unitNames } from '../tables/unit-names.ts';

export type { UnitName };

/** What a level is loaded from. */
export interface LevelSource {
  /** Base URL of the service, with or without `/api/v1`; or of an output folder on a static host. */
  url: string;
  /** Such as `lv3`. */
  level: string;
  /** Not for a public service. */
  token?: string | undefined;
}

/** How often a level is asked for, if the release of its names is no longer hosted. */
const ATTEMPTS = 3;
const OK = 200;
const NOT_FOUND = 404;
const GONE = 410;
/** What a gzip file begins with. */
const GZIP_BYTE = 0x1f;

/**
 * Loads a level from a service, or from an output folder on a static host: its cells and its names, of the same release.
 * @throws Error with the answer if that is refused; FormatError if it is damaged, or of another format version
 */
export async function loadLevel({ url, level, token }: LevelSource): Promise<LevelPoints> {
  const base = baseUrlOf(url);
  const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` };
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const published = await publishedRelease(base);
    // The token is the service's: no static host gets it.
    const loaded = await (published === undefined ? served(base, level, headers) : stored(base, level, published));
    if (loaded !== undefined) return openLevel(loaded.cells, loaded.names);
  }
  throw new Error(`the release of ${url} is replaced again and again`);
}

/** The files of a level. */
interface LevelFiles {
  cells: Uint8Array;
  /** Text. */
  names: string;
}

/** The id of the current release of an output folder; undefined if there is none: then it is a service. */
async function publishedRelease(base: string): Promise<string | undefined> {
  const answer = await fetch(`${base}/current.json`, { cache: 'no-cache' }).catch(() => undefined);
  const text = answer?.ok ? await answer.text() : '';
  // Some hosts answer with a page where nothing is.
  if (!text.trimStart().startsWith('{')) return undefined;
  const { version, release } = JSON.parse(text);
  if (version !== FORMAT_VERSION) throw new FormatError('current.json', versionProblem(version));
  return String(release);
}

/** Undefined if its release is no longer there. */
async function stored(base: string, level: string, release: string): Promise<LevelFiles | undefined> {
  const folder = `${base}/releases/${encodeURIComponent(release)}/${level}`;
  const [names, cells] = await Promise.all([
    got(`${folder}/names.jsonl.gz`, NOT_FOUND),
    got(`${folder}/cells.bin`, NOT_FOUND),
  ]);
  if (names.status === NOT_FOUND || cells.status === NOT_FOUND) return undefined;
  return { names: await textOf(names), cells: new Uint8Array(await cells.arrayBuffer()) };
}

/** The text of a gzip file, also of one that the host has sent with Content-Encoding, so that it is inflated. */
async function textOf(answer: Response): Promise<string> {
  const bytes = new Uint8Array(await answer.arrayBuffer());
  if (bytes[0] !== GZIP_BYTE) return new TextDecoder().decode(bytes);
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'))).text();
}

/** Undefined if the release of the names is no longer hosted. */
async function served(base: string, level: string, headers: Record<string, string>): Promise<LevelFiles | undefined> {
  const names = await got(`${base}/api/v1/names/${level}`, OK, headers);
  const release = encodeURIComponent(names.headers.get('boundaries-release') ?? '');
  const [text, cells] = await Promise.all([
    names.text(),
    got(`${base}/api/v1/download/${level}.cells?release=${release}`, GONE, headers),
  ]);
  return cells.status === GONE ? undefined : { names: text, cells: new Uint8Array(await cells.arrayBuffer()) };
}

/** @param allowed a status that is no error, besides those that are none. @throws Error with the answer */
async function got(url: string, allowed: number, headers: Record<string, string> = {}): Promise<Response> {
  const answer = await fetch(url, { headers });
  if (!answer.ok && answer.status !== allowed) throw new Error(`${answer.status}: ${await answer.text()}`);
  return answer;
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
    const { offset, length } = this.#cells.rangeOf(cell);
    const found = this.#cells.unitsAt(point, cell, this.#bytes.subarray(offset, offset + length), 'cells');
    return found.map((position) => elementAt(this.units, position));
  }
}

/** The decimals that a number is written with, without an exponent. */
function decimalOf(value: number | string): string {
  return plainDecimal(String(value).trim());
}
