// Zip archives for tests of sources.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { crc32, deflateRawSync } from 'node:zlib';
import { filesUnder } from '../files.ts';

/** Writes a zip archive of all files below a folder; its path. */
export function zipFolder(folder: string, file: string): string {
  writeZip(
    file,
    filesUnder(folder).map((name) => ({ name, content: readFileSync(join(folder, name)) })),
  );
  return file;
}

/** Writes a zip archive (APPNOTE.TXT) without a library: GDAL is too slow for 60,000 entries. */
export function writeZip(file: string, entries: readonly { name: string; content: Buffer }[]): void {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const { name, content } of entries) {
    const data = deflateRawSync(content);
    const about = Buffer.alloc(26);
    about.writeUInt16LE(20, 0);
    about.writeUInt16LE(8, 4);
    about.writeUInt32LE(crc32(content), 10);
    about.writeUInt32LE(data.length, 14);
    about.writeUInt32LE(content.length, 18);
    about.writeUInt16LE(name.length, 22);
    const place = Buffer.alloc(14);
    place.writeUInt32LE(offset, 10);
    directory.push(Buffer.from('PK\x01\x02\x14\x00', 'latin1'), about, place, Buffer.from(name));
    const local = [Buffer.from('PK\x03\x04', 'latin1'), about, Buffer.from(name), data];
    parts.push(...local);
    offset += local.reduce((sum, part) => sum + part.length, 0);
  }
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 'latin1');
  end.writeUInt16LE(entries.length, 8);
  end.writeUInt16LE(entries.length, 10);
  end.writeUInt32LE(
    directory.reduce((sum, part) => sum + part.length, 0),
    12,
  );
  end.writeUInt32LE(offset, 16);
  writeFileSync(file, Buffer.concat([...parts, ...directory, end]));
}
