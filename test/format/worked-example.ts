// The specification, format/README.md with format/EXAMPLES.md, and its worked example: what the tests of the
// specification and of other readers hold against the code.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { elementAt } from '../../format/element-at.ts';
import type { FeatureTable } from '../../format/feature-table.ts';
import type { LevelIndex } from '../../format/level-index.ts';
import { decodeLevel, decodeTable } from '../../format/manifest.ts';
import type { Release } from '../../format/release-json.ts';
import { indexBox } from '../../generator/rings/bbox.ts';
import { writeDataset } from '../support/datasets/write-dataset.ts';
import { buildRelease } from '../support/releases/build-release.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

export const SPECIFICATION = ['README.md', 'EXAMPLES.md']
  .map((file) => readFileSync(`format/${file}`, 'utf8'))
  .join('\n');

/** The code block of the specification whose info string is this. */
export function block(info: string): string {
  const [, text] = new RegExp(`^\`\`\`${info}\\n(.*?)^\`\`\`$`, 'ms').exec(SPECIFICATION) ?? [];
  assert.ok(text !== undefined, `the specification has no block ${info}`);
  return text;
}

/** The bytes of a block of hexadecimal digits with comments; `[name]` stands for other bytes. */
export function bytesIn(info: string, named: Readonly<Record<string, Uint8Array>> = {}): Buffer {
  const digits = block(info)
    .replaceAll(/#.*$/gm, '')
    .replaceAll(/\[(.*?)\]/g, (_, name) => Buffer.from(named[name] ?? []).toString('hex'))
    .replaceAll(/\s/g, '');
  assert.match(digits, /^(?:[0-9a-f]{2})+$/, info);
  return Buffer.from(digits, 'hex');
}

/** The cells of every table row that begins with this. */
export function rowsOf(start: string): string[][] {
  const rows = SPECIFICATION.split('\n').filter((line) => line.startsWith(`| ${start}`));
  assert.ok(rows.length > 0, start);
  return rows.map((row) => row.slice(2, -2).split(' | '));
}

export const texts = block('json texts').split(/(?<=\n)/);
export const featureFile = bytesIn('text feature-file');
export const example = exampleLevel();
export const alone = bytesIn('text alone');
export const body = bytesIn('text body', {
  'data of position 0 up to its separator': dataAt(0).subarray(0, -1),
  'data of position 1': dataAt(1),
});

/** The texts and the files of the geometry `none`. */
export const textsWithout = [elementAt(texts, 0), block('json text-none')];
export const fileWithout = bytesIn('text none-feature-file', { 'data of position 0': dataAt(0) });
export const aloneWithout = bytesIn('text none-alone');
export const tableWithout = exampleTable();

function exampleLevel(): LevelIndex {
  const files = { manifest: block('json manifest'), index: bytesIn('text index') };
  const names = { manifest: 'README.md manifest', index: 'README.md index' };
  return decodeLevel(files, { release: 'demo', level: 0, features: 2 }, names);
}

function exampleTable(): FeatureTable {
  const files = { manifest: block('json manifest'), table: bytesIn('text none-index') };
  return decodeTable(files, 'none', example, { manifest: 'README.md manifest', table: 'README.md none-index' });
}

/** Deflate data of a position of the worked example, from its feature file. */
export function dataAt(position: number, file: Buffer = featureFile, table: FeatureTable = example): Buffer {
  const from = table.chained.offsetAt(position);
  return file.subarray(from, from + table.chained.bytes(position, position + 1));
}

/** The box of a `bbox` in degrees, as the generator writes it. */
export function boxOf(bbox: readonly number[] | undefined, precision: number): [number, number, number, number] {
  const scale = 10 ** precision;
  const scaled = bbox?.map((degrees) => Math.round(degrees * scale)) as [number, number, number, number] | undefined;
  return [...indexBox(scaled, scale)];
}

/** Builds the worked example in an output folder. Its pages are compressed otherwise. */
export function buildExample(out: string): Promise<Release> {
  const features = [
    { fid: 3, values: ['BBB'], wkt: null },
    { fid: 7, values: ['AAA'], wkt: 'POINT(1.5 2)' },
  ];
  const layer = { name: 'ADM_0', columns: ['GID_0'], features };
  return buildRelease(writeDataset(join(temporaryFolder(), 'demo.gpkg'), 'GPKG', [layer]), out, {
    release: 'demo',
    geometries: ['full', 'none'],
    storedPages: 'unfiltered',
    accept: ['empty-geometries', 'non-polygonal'],
  });
}
