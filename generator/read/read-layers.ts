// Reads the layers of a level through GDAL, from the first feature to the last, and serialises each feature once. A
// build keeps the text (store-level.ts), a dry run does not (estimate/survey-level.ts). gdal-async is used from
// one thread of a process only.
import { elementAt } from '../../format/element-at.ts';
import { levelName } from '../../format/levels.ts';
import { NAMES_TEXT_MAX_CHARS } from '../../format/names.ts';
import { takeGdalMessage } from '../gdal/open-dataset.ts';
import { newFeatureWriter } from '../geojson/feature.ts';
import type { GeometryQuality } from '../geojson/geometry.ts';
import {
  columnToJson,
  gidFrom,
  InexactInteger,
  isNoName,
  ValueError,
  valueToText,
} from '../geojson/property-values.ts';
import { Findings, inspectGeometry, unitNamed } from '../quality/findings.ts';
import { BuildError, withoutSecrets } from '../report/errors.ts';
import type { Box } from '../rings/bbox.ts';
import { indexBox } from '../rings/bbox.ts';
import type { RingSink } from '../rings/coordinates.ts';
import { GeometryError, NotDegrees } from '../rings/wkb-reader.ts';
import { undecodableFids } from '../source/encodings.ts';
import { fidOf } from '../source/fid-column.ts';
import { foundIn, type LayerSource, type LevelSource, layerToText } from '../source/level-source.ts';
import { type OpenLayer, openLayer } from '../source/open-layer.ts';
import { newWithParents } from '../store/placed-parents.ts';
import { readGeometry } from './read-geometry.ts';
import { ShownNames } from './shown-names.ts';

/** What to read. */
export interface LayersTask {
  source: LevelSource;
  /** Decimals of the coordinates. */
  precision: number;
}

/** A feature, ready to be written; its text is valid until the next one is read. */
export interface ReadFeature {
  fid: number;
  /** Its GID at each level 0 .. level, or null. */
  gids: readonly (string | null)[];
  /** Its name and type, from the columns of the level's first layer; null if it has none. */
  name: string | null;
  type: string | null;
  /** Its other names. */
  otherNames: readonly string[];
  /** Its names in the languages of the level, and its codes; null if it has none. */
  languages: readonly (string | null)[];
  codes: readonly (string | null)[];
  /** Its bounding box, as the index of a level has it. */
  box: Readonly<Box>;
  quality: GeometryQuality;
  /** Its fid in the source. */
  sourceFid: number;
  /** Says where it is in the source. */
  foundAt(): string;
  /** Its line of GeoJSON in pieces. */
  text: readonly Buffer[];
  /** The same without its geometry. */
  withoutGeometry: readonly Buffer[];
}

/** Takes what is read of a level. */
export interface FeatureSink {
  /** Takes the next feature. */
  feature(feature: ReadFeature): void;
  /** Takes the rings of its polygons before. */
  rings?: RingSink | undefined;
}

/** The result of reading a level. */
export interface LayersRead {
  features: number;
  /** The problems found. */
  findings: Findings;
  /** Whether the units have new fids, 1, 2, 3 ... in the order in which they were read. */
  isRenumbered: boolean;
  /** What people are shown of the names of its units; undefined without any. */
  names: string | undefined;
}

/** Separates the names in a column of other names, as in GADM's. */
const OTHER_NAMES_SEPARATOR = '|';

/** How the layers have to be read. */
interface ReadingPlan {
  isRenumbered: boolean;
  /** Whether each layer's 64-bit integers are read as text. */
  hasTextIntegers: readonly boolean[];
}

/**
 * Reads all features of a level.
 * @param begin is called when reading begins, possibly several times: some features can be read only in another way,
 *   and the level is then read again from its first feature. What it returns takes every feature
 * @throws BuildError with file, layer, level and fid if GDAL reports an error or a feature cannot be written
 */
export function readLayers(task: LayersTask, begin: () => FeatureSink): LayersRead {
  const hasTextIntegers = task.source.layers.map(() => false);
  let read: LayersRead | ReadingPlan = { isRenumbered: false, hasTextIntegers };
  while ('hasTextIntegers' in read) read = new LevelReading(task, read, begin()).read();
  return read;
}

/** One pass over the features of a level. */
class LevelReading {
  readonly #task: LayersTask;
  readonly #plan: ReadingPlan;
  readonly #sink: FeatureSink;
  readonly #findings: Findings;
  /** The layer of each fid; only if there are several layers. */
  readonly #layerOfFid = new Map<number, number>();
  readonly #withParents: ReturnType<typeof newWithParents>;
  #features = 0;
  readonly #names = new ShownNames();

  constructor(task: LayersTask, plan: ReadingPlan, sink: FeatureSink) {
    this.#task = task;
    this.#plan = plan;
    this.#sink = sink;
    this.#findings = new Findings(task.source.level);
    this.#withParents = newWithParents(task.source);
  }

  /** Reads the features; returns another plan if they have to be read in another way. */
  read(): LayersRead | ReadingPlan {
    const { layers } = this.#task.source;
    const { isRenumbered } = this.#plan;
    for (const at of layers.keys()) {
      const other = this.#readLayer(at);
      if (other !== undefined) return other;
    }
    const [layer] = layers;
    if (layer !== undefined && this.#names.count === 0) {
      const { nameColumn } = layer;
      const example = `${foundIn(layer)}${nameColumn === '' ? '' : `: column ${nameColumn} has none`}`;
      this.#findings.add('no-names', example, this.#features);
    }
    return { features: this.#features, findings: this.#findings, isRenumbered, names: this.#names.text() };
  }

  #readLayer(at: number): ReadingPlan | undefined {
    const layer = elementAt(this.#task.source.layers, at);
    const opened = openLayer(layer, elementAt(this.#plan.hasTextIntegers, at));
    if (layer.features === 0) this.#findings.add('no-units', foundIn(layer));
    try {
      return this.#readFeatures(at, layer, opened);
    } finally {
      opened.close();
    }
  }

  #readFeatures(at: number, layer: LayerSource, opened: OpenLayer): ReadingPlan | undefined {
    const { features: table } = opened.layer;
    const write = newFeatureWriter(layer, this.#task.precision, this.#sink.rings);
    const { nameColumn, typeColumn, typeName, searchColumns, languages, codes } = elementAt(
      this.#task.source.layers,
      0,
    );
    const nameOf = newTextOf(layer, nameColumn);
    const ownTypeOf = newTextOf(layer, typeColumn);
    const typeOf = (values: readonly unknown[]): string | null => ownTypeOf(values) ?? typeName ?? null;
    const othersOf = searchColumns.map((column) => newTextOf(layer, column));
    const languagesOf = languages.map(([, column]) => newTextOf(layer, column));
    const codesOf = codes.map(([key, column]) => ({ key, textOf: newTextOf(layer, column) }));
    const withParents = this.#withParents;
    const hasUnreadable = newHasUnreadable(layer);
    const undecodable = undecodableFids(layer);
    let features = 0;
    let last: number | undefined;
    this.#refuseFailure(layer, last);
    // The iterator returns null at the end and after a read error; GDAL may also return a feature beside an error.
    for (let feature = table.first(); feature; feature = table.next()) {
      const fields = feature.fields.toArray();
      const sourceFid = fidOf(feature, fields, layer);
      last = sourceFid;
      const fid = this.#fidFor(sourceFid, at);
      if (fid === undefined) return { ...this.#plan, isRenumbered: true };
      const values = withParents(fields, fid, layer);
      const unit = (): string => unitName(layer, sourceFid, values);
      const foundAt = (): string => `${foundIn(layer)}, ${unit()}`;
      if (fid !== sourceFid) this.#findings.add('renumbered-fids', () => `${foundAt()} has the new fid ${fid}`);
      if (hasUnreadable(values) || undecodable.has(feature.fid)) this.#findings.add('unreadable-text', foundAt);
      try {
        const wkb = wkbOf(readGeometry(feature, opened));
        this.#refuseFailure(layer, last);
        const { quality, box, ...written } = write(fid, values, wkb);
        const gids = layer.gids.map((fields) => gidFrom(values, fields, layer));
        inspectGeometry(quality, foundAt, elementAt(gids, layer.level), this.#findings);
        const name = nameOf(values);
        this.#names.add(name, unit);
        const type = typeOf(values);
        const named = languagesOf.map((textOf) => firstName(textOf(values)));
        const coded = codesOf.map(({ key, textOf }) => codeFrom(textOf(values), key));
        if (
          [...gids, name, type, ...named, ...coded].some((text) => text !== null && text.length > NAMES_TEXT_MAX_CHARS)
        )
          this.#findings.add('long-texts', foundAt);
        this.#sink.feature({
          ...written,
          fid,
          quality,
          sourceFid,
          foundAt,
          gids,
          name,
          type,
          otherNames: othersOf.flatMap((textOf) => textOf(values)?.split(OTHER_NAMES_SEPARATOR) ?? []),
          languages: named,
          codes: coded,
          box: indexBox(box, 10 ** this.#task.precision),
        });
      } catch (error) {
        const { hasTextIntegers } = this.#plan;
        if (error instanceof InexactInteger && !elementAt(hasTextIntegers, at))
          return { ...this.#plan, hasTextIntegers: hasTextIntegers.with(at, true) };
        if (!(error instanceof GeometryError || error instanceof ValueError)) throw error;
        throw new BuildError(`${layerToText(layer)}, ${unit()}: ${error.message}`, remedyFor(error, layer));
      }
      features++;
      this.#features++;
    }
    this.#refuseFailure(layer, last);
    if (features !== layer.features)
      throw new BuildError(
        `${layerToText(layer)}: read ${features} features, expected ${layer.features}`,
        'the file is damaged or incomplete: download or copy it again',
      );
    return undefined;
  }

  /** The fid of a feature in the release; undefined if the units of the level have to be numbered anew. */
  #fidFor(fid: number, at: number): number | undefined {
    if (this.#plan.isRenumbered) return this.#features + 1;
    const { layers } = this.#task.source;
    if (layers.length === 1) return fid;
    const other = this.#layerOfFid.get(fid);
    this.#layerOfFid.set(fid, at);
    // A fid that occurs twice in one layer is an error of that layer.
    if (other === undefined || other === at) return fid;
    if (!this.#task.source.keepFids) return undefined;
    throw new BuildError(
      `fid ${fid} occurs in ${layerToText(elementAt(layers, other))} and in ${layerToText(elementAt(layers, at))}`,
      'leave out --keep-fids: the units are then numbered 1, 2, 3 ... in the order of the layers',
    );
  }

  /** GDAL's messages since the last call: failures end the build, warnings are counted. */
  #refuseFailure(layer: LayerSource, fid: number | undefined): void {
    const gdalMessage = takeGdalMessage();
    if (gdalMessage === undefined) return;
    const where = fid === undefined ? '' : `, fid ${fid}`;
    if (!gdalMessage.isFailure) {
      this.#findings.add('gdal-warnings', `${foundIn(layer)}${where}: ${withoutSecrets(gdalMessage.message)}`);
      return;
    }
    throw new BuildError(
      `${layerToText(layer)}${where}: GDAL reports: ${gdalMessage.message}`,
      'the file is damaged or incomplete: download or copy it again',
    );
  }
}

function remedyFor(error: GeometryError | ValueError, { level, crs }: LayerSource): string {
  if (error instanceof NotDegrees)
    return `${crs === undefined ? 'the layer has no CRS, or a wrong one' : `it is not in ${crs}`}: say the right one with --crs EPSG:CODE, or for this level alone with --crs ${levelName(level)}=EPSG:CODE`;
  return (error instanceof ValueError ? error.remedy : undefined) ?? 'fix the feature in the source';
}

/** The text that a feature has in the column of this name; null in a layer without it. @param name '' for no column */
function newTextOf(layer: LayerSource, name: string): (values: readonly unknown[]) => string | null {
  const column = layer.columns.find((candidate) => candidate.name === name);
  if (name === '' || column === undefined) return () => null;
  return (values) => {
    const text = valueToText(columnToJson(values, column, layer));
    return text !== null && isNoName(text, name) ? null : text;
  };
}

/** The first of the names that a text has. */
function firstName(text: string | null): string | null {
  return text?.split(OTHER_NAMES_SEPARATOR).find((name) => name !== '') ?? null;
}

/** What stands for no code in published datasets. */
const NO_CODES: readonly string[] = ['-99', '-1', 'NA', 'N/A'];
/** The key of ISO 3166-1 alpha-2, in which NA is Namibia. */
const KEY_WITH_NAMIBIA = 'iso2';
/** Ends the codes that Natural Earth makes up where ISO 3166-2 has none, as `AU-X02~` and `-99-X01~`. */
const MADE_UP = '~';

/** The code of a key that a text is; null if it is none. */
function codeFrom(text: string | null, key: string): string | null {
  if (text === null || text.endsWith(MADE_UP)) return null;
  return NO_CODES.includes(text) && (text !== 'NA' || key !== KEY_WITH_NAMIBIA) ? null : text;
}

/** What stands for bytes that are no text in the encoding that GDAL takes the file to have. */
const REPLACEMENT = '\ufffd';

/** Returns a function that says whether a text of a feature that is published could not be read. */
function newHasUnreadable({ columns, gids }: LayerSource): (values: readonly unknown[]) => boolean {
  // The names of the columns are texts of each feature, too.
  if (columns.some(({ name }) => name.includes(REPLACEMENT))) return () => true;
  const fields = [...new Set([...columns.flatMap((column) => column.fields), ...gids.flat()])];
  const isUnreadable = (value: unknown): boolean =>
    typeof value === 'string' ? value.includes(REPLACEMENT) : Array.isArray(value) && value.some(isUnreadable);
  return (values) => fields.some((field) => isUnreadable(values[field]));
}

/** Little-endian ISO WKB; null for no geometry. */
function wkbOf(geometry: ReturnType<typeof readGeometry>): Buffer | null {
  return geometry === null || geometry.isEmpty() ? null : geometry.toWKB('LSB', 'ISO');
}

function unitName(layer: LayerSource, fid: number, values: readonly unknown[]): string {
  return unitNamed(fid, gidFrom(values, elementAt(layer.gids, layer.level), layer));
}
