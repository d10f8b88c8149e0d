// What a build would write, without writing it: the plan is exact, the sizes are estimated from a sample of features.
import { deflateBlock, GZIP_FRAME_BYTES } from '../format/gzip.ts';
import { FORMATS, LEVELS, type Level } from '../format/levels.ts';
import { findLevels, type LevelLayer, openLayer, type SourceOptions } from './dataset.ts';
import { newFeatureWriter } from './feature.ts';
import { type Acceptable, type LevelPlan, pageGroups, planEmptyLevel, planLevel } from './plan.ts';
import { gidFrom } from './read.ts';
import type { Report } from './report.ts';
import type { StoreIndex } from './store.ts';

/** One level of the plan. */
export interface LevelForecast {
  level: Level;
  /** The source layer; empty where there is none. */
  layer: string;
  features: number;
  listings: number;
  /** Page files by format. */
  pages: LevelPlan['pages'];
  /** Of all page files, estimated. */
  bytes: number;
}

/** Features serialised for the estimate, of each level: stretches of neighbours, as pages hold them, spread evenly. */
const STRETCHES = 25;
const STRETCH_FEATURES = 40;

/** Reads the dataset without writing anything. @throws BuildError as `build` does for options, layers and GIDs */
export function forecast(
  options: SourceOptions & { precision: number; accept: readonly Acceptable[] },
  report: Report,
): LevelForecast[] {
  const found = findLevels(options);
  for (const layer of found) report.expect('features read', layer.features);
  const forecasts = LEVELS.map((level) => {
    const layer = found.find((candidate) => candidate.level === level);
    if (!layer) return forecastOf(planEmptyLevel(level), '', 0);
    const { index, bytesPerWkb, wkbBytes } = readIndex(layer, options.precision, report);
    const plan = planLevel(level, index, options.accept);
    return forecastOf(plan, layer.layer, (position) => (wkbBytes[plan.entries[position] ?? 0] ?? 0) * bytesPerWkb);
  });
  report.end();
  return forecasts;
}

/** @param bytesAt estimated compressed bytes of the feature at a position */
function forecastOf(plan: LevelPlan, layer: string, bytesAt: ((position: number) => number) | 0): LevelForecast {
  let bytes = 0;
  if (bytesAt !== 0) {
    // Sums up to each position, so that a run costs one subtraction.
    const upTo = new Float64Array(plan.features + 1);
    for (let position = 0; position < plan.features; position++)
      upTo[position + 1] = (upTo[position] ?? 0) + bytesAt(position);
    for (const { first, twins } of pageGroups(plan)) {
      let page = GZIP_FRAME_BYTES;
      for (let i = 0; i < first.runs.length; i += 2) {
        const start = first.runs[i] ?? 0;
        page += (upTo[start + (first.runs[i + 1] ?? 0)] ?? 0) - (upTo[start] ?? 0);
      }
      bytes += page * (1 + twins.length);
    }
  }
  const listings = plan.listings.filter((listing) => listing.features > 0).length;
  const pages = Object.fromEntries(FORMATS.map((format) => [format, plan.pages[format]])) as LevelPlan['pages'];
  return { level: plan.level, layer, features: plan.features, listings, pages, bytes: Math.round(bytes) };
}

/** The fids and GIDs of a layer, the size of each feature in WKB, and what a byte of it comes to in a page. */
function readIndex(layer: LevelLayer, precision: number, report: Report) {
  const opened = openLayer(layer);
  const writer = newFeatureWriter(layer.columns, precision);
  const index: StoreIndex = { columns: [], fids: [], gids: layer.gidColumns.map(() => []), bytes: [], blocks: {} };
  const wkbBytes: number[] = [];
  const sampled: Buffer[] = [];
  let sampledWkb = 0;
  const every = Math.max(1, Math.floor(layer.features / STRETCH_FEATURES / STRETCHES));
  for (const feature of opened.layer.features) {
    const values = feature.fields.toArray();
    const geometry = feature.getGeometry();
    const entry = index.fids.push(feature.fid) - 1;
    for (const [n, at] of layer.gidColumns.entries()) index.gids[n]?.push(gidFrom(values[at]));
    // A feature without geometry still has properties.
    wkbBytes.push((geometry?.wkbSize ?? 0) + 100);
    if (Math.floor(entry / STRETCH_FEATURES) % every === 0) {
      if (opened.transformation) geometry?.transform(opened.transformation);
      const { text } = writer(feature.fid, values, geometry?.toWKB('LSB', 'ISO') ?? null);
      sampled.push(Buffer.concat(text));
      sampledWkb += wkbBytes[entry] ?? 0;
    }
    if (entry % 1000 === 999) report.advance('features read', 1000);
  }
  opened.close();
  return {
    index,
    wkbBytes,
    bytesPerWkb: sampledWkb === 0 ? 0 : deflateBlock(Buffer.concat(sampled)).length / sampledWkb,
  };
}
