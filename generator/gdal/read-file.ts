// Small files in any file system that GDAL knows, such as archives: gdal-async opens datasets alone.
import { existsSync, readFileSync } from 'node:fs';
import { gdal } from './gdal.ts';

/** From GDAL 3.9 on a VRT reads only files beside it, but where this option says more. */
const ANY_FILE = 'GDAL_VRT_RAWRASTERBAND_ALLOWED_SOURCE';

/** The text of a file of Latin letters; undefined if there is none. @param path as GDAL opens it, or a local one */
export function readSmallFile(path: string): string | undefined {
  if (!path.startsWith('/vsi')) return existsSync(path) ? readFileSync(path, 'latin1') : undefined;
  let bytes: number;
  try {
    bytes = gdal.fs.stat(path).size;
  } catch {
    return undefined;
  }
  if (bytes === 0) return '';
  const before = gdal.config.get(ANY_FILE);
  gdal.config.set(ANY_FILE, 'ALL');
  try {
    const dataset = gdal.open(toRaster(path, bytes), 'r', 'VRT');
    const cells = new Uint8Array(bytes);
    dataset.bands.get(1).pixels.read(0, 0, bytes, 1, cells);
    dataset.close();
    return Buffer.from(cells).toString('latin1');
  } finally {
    gdal.config.set(ANY_FILE, before);
  }
}

/** A description by which GDAL takes a file for one line of a raster, a byte a cell. */
function toRaster(path: string, bytes: number): string {
  const name = path.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  const layout = `<ImageOffset>0</ImageOffset><PixelOffset>1</PixelOffset><LineOffset>${bytes}</LineOffset>`;
  const band = `<SourceFilename relativeToVRT="0">${name}</SourceFilename>${layout}`;
  const raster = `rasterXSize="${bytes}" rasterYSize="1"`;
  return `<VRTDataset ${raster}><VRTRasterBand dataType="Byte" band="1" subClass="VRTRawRasterBand">${band}</VRTRasterBand></VRTDataset>`;
}
