// A release whose level 0 has very many features, every second one of the other of two countries: as many runs as a
// listing can have. No feature of it is stored.
import { createHash } from 'node:crypto';
import { elementAt } from '../../../format/element-at.ts';
import { LevelIndex } from '../../../format/level-index.ts';
import { gidColumn } from '../../../format/write/gid-column.ts';
import { LoadedLevel, type LoadRelease, loadRelease } from '../../../proxy/data/loaded-release.ts';

export const COUNTRIES = ['even', 'odd'];

/** How a release is loaded, whatever it has. */
export function alternatingLevel(features: number): LoadRelease {
  return async (origin, description) => {
    const release = await loadRelease(origin, description);
    const manifest = { path: 'manifest.json', text: '' };
    const level = new LoadedLevel(origin, description, alternatingIndex(features), 0, manifest, () => 0);
    return { ...release, get: () => level };
  };
}

/** The index of that level: lengths, digests and CRCs are drawn. */
export function alternatingIndex(features: number): LevelIndex {
  const drawn = (what: string, bytes: number) =>
    Uint8Array.from(createHash('shake256', { outputLength: bytes }).update(what).digest());
  const crcs = (what: string) => new Uint32Array(drawn(what, 4 * (features + 1)).buffer);
  const startsOf = (bytes: (position: number) => number) => {
    const starts = new Float64Array(features + 1);
    for (let position = 0, at = 0; position < features; starts[++position] = at) at += bytes(position);
    return starts;
  };
  const [dataBytes, textBytes] = [drawn('data', features), drawn('text', features)];
  const owners = Int32Array.from({ length: features }, (_, position) => position % COUNTRIES.length);
  return new LevelIndex(0, 'none', {
    start: startsOf((position) => 1 + elementAt(dataBytes, position)),
    dataCrc: crcs('data CRC'),
    aloneStart: startsOf((position) => (position % 3 === 0 ? 10 : 0)),
    aloneCrc: crcs('alone CRC'),
    textStart: startsOf((position) => 1 + elementAt(textBytes, position)),
    textCrc: crcs('text CRC'),
    textCrcFc: crcs('text CRC with commas'),
    digest: drawn('digest', 8 * features),
    fid: Float64Array.from({ length: features }, (_, position) => position),
    box: new Int32Array(4 * features),
    part: new Int32Array(),
    columns: [gidColumn('GID_0', COUNTRIES, owners)],
    pages: undefined,
  });
}
