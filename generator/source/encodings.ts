// Encodings of texts in Shapefiles: which units have bytes that are no text in the one that is used, and in which others
// they would be. GDAL leaves such bytes out without a message.
import { gdal } from '../gdal/gdal.ts';
import { openDataset, SAID_ENCODING } from '../gdal/open-dataset.ts';
import type { LayerSource } from './level-source.ts';
import { openSelection } from './open-layer.ts';

/** GDAL's names of encodings that Shapefiles are in, and those of WHATWG's Encoding Standard. */
const ENCODINGS: readonly (readonly [name: string, label: string])[] = [
  ['UTF-8', 'utf-8'],
  ['CP1252', 'windows-1252'],
  ['CP1250', 'windows-1250'],
  ['CP1251', 'windows-1251'],
  ['CP1253', 'windows-1253'],
  ['CP1254', 'windows-1254'],
  ['CP1255', 'windows-1255'],
  ['CP1256', 'windows-1256'],
  ['CP1257', 'windows-1257'],
  ['CP1258', 'windows-1258'],
  ['CP874', 'windows-874'],
  ['CP866', 'ibm866'],
  ['KOI8-R', 'koi8-r'],
  ['GBK', 'gbk'],
  ['BIG5', 'big5'],
  ['SHIFT_JIS', 'shift_jis'],
  ['EUC-KR', 'euc-kr'],
];

/** Other names of these, without signs between letters and digits. */
const OTHER_NAMES: ReadonlyMap<string, string> = new Map([
  ['CP932', 'SHIFT_JIS'],
  ['SJIS', 'SHIFT_JIS'],
  ['CP936', 'GBK'],
  ['GB2312', 'GBK'],
  ['CP949', 'EUC-KR'],
  ['CP950', 'BIG5'],
]);

/** Each byte is the character of its number: from it the bytes of the file are known. */
const BYTES = 'ISO-8859-1';
/** What WHATWG's encodings have where a byte stands for nothing. */
const CONTROLS = /[\u0080-\u009f]/;
const EVERY_BYTE: readonly number[] = Array.from({ length: 256 }, (_, byte) => byte);

type Decoder = InstanceType<typeof TextDecoder>;

/** The decoder of an encoding that not all bytes are a text of; undefined for others. */
function strictDecoder(encoding: string): Decoder | undefined {
  // A .cpg may have 1256 or ANSI 1256.
  const plain = (name: string): string =>
    name
      .toUpperCase()
      .replaceAll(/[^A-Z0-9]/g, '')
      .replace(/^(WINDOWS|ANSI|MS)?(?=\d)/, 'CP');
  const wanted = OTHER_NAMES.get(plain(encoding)) ?? encoding;
  const known = ENCODINGS.find(([name]) => plain(name) === plain(wanted));
  const decoder = known && new TextDecoder(known[1], { fatal: true });
  // Each by itself: one after the other they are pairs of GBK.
  const isStrict = decoder && EVERY_BYTE.some((byte) => decoded(decoder, Uint8Array.of(byte)) === undefined);
  return isStrict ? decoder : undefined;
}

/** A text; undefined if the bytes are none. */
function decoded(decoder: Decoder, bytes: Uint8Array): string | undefined {
  try {
    const text = decoder.decode(bytes);
    return CONTROLS.test(text) ? undefined : text;
  } catch {
    return undefined;
  }
}

/**
 * The fids of the units that have bytes which are no text in the encoding of their file, or in the one that is said; and
 * all that have letters beyond ASCII in a file of which all are UTF-8, where another encoding is said: it is that of
 * another file.
 */
export function undecodableFids(layer: LayerSource): ReadonlySet<number> {
  if (!SAID_ENCODING.includes(layer.driver)) return new Set();
  const encoding = layer.encoding ?? statedEncoding(layer);
  // GDAL passes on what is no UTF-8, and it is seen when the layer is read.
  if (isUtf8(encoding)) return new Set();
  const decoder = strictDecoder(encoding);
  const utf8 = layer.encoding === undefined ? undefined : strictDecoder('UTF-8');
  if (decoder === undefined && utf8 === undefined) return new Set();
  const found = new Set<number>();
  const others = new Set<number>();
  let isOther = utf8 !== undefined;
  for (const { fid, texts } of textsOf(layer))
    for (const { bytes } of texts) {
      others.add(fid);
      isOther &&= utf8 !== undefined && decoded(utf8, bytes) !== undefined;
      if (decoder !== undefined && decoded(decoder, bytes) === undefined) found.add(fid);
    }
  return isOther ? others : found;
}

function isUtf8(encoding: string): boolean {
  return /^utf-?8$/i.test(encoding);
}

/**
 * The encoding in which GDAL reads a Shapefile, as its .cpg or the driver's number in its .dbf says; empty where it reads
 * texts as they are. gdal-async does not expose the metadata of a layer; a GeoPackage has them in a table.
 */
function statedEncoding({ path, driver, layer }: LayerSource): string {
  const copy = '/vsimem/metadata.gpkg';
  const empty = ['-f', 'GPKG', '-limit', '0', '-select', '', '-nlt', 'NONE', '-nln', 'copy', layer];
  const dataset = openDataset(path, driver);
  try {
    const copied = gdal.vectorTranslate(copy, dataset, empty);
    const metadata = String(copied.executeSQL('SELECT metadata FROM gpkg_metadata').features.first()?.fields.get(0));
    copied.close();
    return /<MDI key="SOURCE_ENCODING">(.*?)<\/MDI>/.exec(metadata)?.[1] ?? '';
  } finally {
    dataset.close();
    gdal.vsimem.release(copy);
  }
}

/** An encoding, and two names in it. */
export interface Reading {
  encodings: readonly string[];
  names: readonly string[];
}

const SHOWN_NAMES = 2;
/** What no name has, such as the parts of frames of old code pages. */
const SYMBOLS = /[^\p{L}\p{M}\p{N}\p{P}\p{Zs}`+|]/u;

/** The encodings in which all texts of a layer of a Shapefile can be read, with names as each reads them. */
export function readingsOf(layer: LayerSource): Reading[] {
  let left = ENCODINGS.map(([name, label]) => ({ name, decoder: new TextDecoder(label, { fatal: true }) }));
  const shown = new Map<string, Uint8Array>();
  for (const { texts } of textsOf(layer))
    for (const { bytes, text, isName } of texts) {
      left = left.filter(({ decoder }) => decoded(decoder, bytes) !== undefined);
      if (isName && shown.size < SHOWN_NAMES) shown.set(text, bytes);
    }
  const readings = new Map<string, Reading>();
  for (const { name, decoder } of left) {
    const names = [...shown.values()].map((bytes) => decoded(decoder, bytes) ?? '');
    if (names.some((text) => SYMBOLS.test(text))) continue;
    const known = readings.get(names.join())?.encodings ?? [];
    readings.set(names.join(), { encodings: [...known, name], names });
  }
  return [...readings.values()];
}

interface RawText {
  bytes: Uint8Array;
  /** The same, each byte a character. */
  text: string;
  isName: boolean;
}

/** The texts of each unit that are not of ASCII alone, in columns that are published. */
function* textsOf(layer: LayerSource): Generator<{ fid: number; texts: RawText[] }> {
  const { columns, nameColumn } = layer;
  const named = columns.find(({ name }) => name === nameColumn)?.fields ?? [];
  const fields = [...new Set([...columns.flatMap((column) => column.fields), ...layer.gids.flat()])];
  const { dataset, layer: opened } = openSelection({ ...layer, encoding: BYTES });
  try {
    for (let feature = opened.features.first(); feature; feature = opened.features.next()) {
      const values: unknown[] = feature.fields.toArray();
      const texts = fields.flatMap((field): RawText[] => {
        const text = values[field];
        if (typeof text !== 'string' || !/[^\0-\x7f]/.test(text)) return [];
        return [{ bytes: Buffer.from(text, 'latin1'), text, isName: named.length === 0 || named.includes(field) }];
      });
      yield { fid: feature.fid, texts };
    }
  } finally {
    dataset.close();
  }
}
