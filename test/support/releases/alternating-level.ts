// A release whose level 0 has very many features, every second one of the other of two countries: as many runs as a
// listing can have. No feature of it is stored.
import { gidColumn } from '../../../format/gid-column.ts';
import { LevelIndex } from '../../../format/level-index.ts';
import { LoadedLevel, type LoadRelease, loadRelease } from '../../../proxy/data/release.ts';
import { dice } from '../dice.ts';

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
  const roll = dice(83);
  const crcs = () => Uint32Array.from({ length: features + 1 }, () => roll(2 ** 31));
  const startsOf = (bytes: (position: number) => number) => {
    const starts = new Float64Array(features + 1);
    for (let position = 0, at = 0; position < features; starts[++position] = at) at += bytes(position);
    return starts;
  };
  const owners = Int32Array.from({ length: features }, (_, position) => position % COUNTRIES.length);
  return new LevelIndex(0, 'none', {
    start: startsOf(() => 1 + roll(9)),
    dataCrc: crcs(),
    aloneStart: startsOf((position) => (position % 3 === 0 ? 10 : 0)),
    aloneCrc: crcs(),
    textStart: startsOf(() => 1 + roll(99)),
    textCrc: crcs(),
    textCrcFc: crcs(),
    digest: Uint8Array.from({ length: 8 * features }, () => roll(256)),
    fid: Float64Array.from({ length: features }, (_, position) => position),
    box: new Int32Array(4 * features),
    part: new Int32Array(),
    columns: [gidColumn('GID_0', COUNTRIES, owners)],
    pages: undefined,
  });
}
