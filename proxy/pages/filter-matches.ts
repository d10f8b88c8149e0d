// The features that match the filters of a request. Large sets are remembered: a filter over a parent whose units alternate
// with those of another has as many runs as units.
import type { Listing } from '../../format/listing.ts';
import { RankedRuns } from '../../format/ranked-runs.ts';
import type { Runs } from '../../format/runs.ts';
import { intersectRuns } from '../../format/runs.ts';
import type { LoadedLevel } from '../releases/level-tables.ts';
import type { Filter } from './parse-query.ts';

/** The features that match a request's filters. */
export interface Match {
  positions: RankedRuns;
  /** The listing with exactly these features, whose pages may be stored. */
  listing: StoredListing | undefined;
}

/** A listing without its positions. */
export type StoredListing = Omit<Listing, 'runs'>;

/** What matches in one level. */
export interface LevelMatches {
  /** The positions that match all filters. */
  find(filters: readonly Filter[]): Match;
  /** The fids of the level. */
  fids(): RankedRuns;
}

/** Sets with fewer numbers are computed each time. */
const REMEMBERED_MIN = 256;
/** Numbers of all remembered sets: about 24 bytes for each two. */
const NUMBERS_MAX = 2_000_000;

/** Remembers what matches, and the fids of levels: the least recently used set is removed first. */
export class FilterMatches {
  readonly #max: number;
  readonly #matches = new Map<string, Match>();
  #numbers = 0;

  /** @param max numbers of all remembered sets */
  constructor(max: number = NUMBERS_MAX) {
    this.#max = max;
  }

  /** Numbers of all remembered sets. */
  get size(): number {
    return this.#numbers;
  }

  /**
   * What matches in a level.
   * @param release digest of its release
   */
  of(release: string, level: LoadedLevel): LevelMatches {
    const { manifest } = level;
    const keyOf = (...parts: (string | number)[]): string => JSON.stringify([release, manifest.level, ...parts]);
    const fids = (): Match => ({ positions: new RankedRuns(manifest.fids), listing: undefined });
    return {
      find: (filters) => {
        const parts = filters.flatMap(({ column, gid }) => [column, gid]);
        return this.#remembered(keyOf(...parts), () => matchOf(level, filters));
      },
      fids: () => this.#remembered(keyOf('fids'), fids).positions,
    };
  }

  #remembered(key: string, compute: () => Match): Match {
    const known = this.#matches.get(key);
    const match = known ?? compute();
    const numbers = match.positions.runs.length;
    if (numbers < REMEMBERED_MIN || numbers > this.#max) return match;
    if (known === undefined) this.#numbers += numbers;
    this.#matches.delete(key);
    this.#matches.set(key, match);
    for (const [oldest, { positions }] of this.#matches) {
      if (this.#numbers <= this.#max) break;
      this.#matches.delete(oldest);
      this.#numbers -= positions.runs.length;
    }
    return match;
  }
}

function matchOf(level: LoadedLevel, filters: readonly Filter[]): Match {
  const all = level.listings.at(0);
  if (filters.length === 0 && all !== undefined) return { positions: new RankedRuns(all.runs), listing: all };
  let runs: Runs | undefined;
  const listings: Listing[] = [];
  for (const { column, gid } of filters) {
    const known = level.manifest.columns[column];
    const at = known?.gids.find(gid);
    const covered = at === undefined ? [] : (known?.covers.at(at) ?? []);
    runs = runs === undefined ? covered : intersectRuns(runs, covered);
    const first = level.listings.firstOf[column];
    const listing = first === undefined || at === undefined ? undefined : level.listings.at(first + at);
    if (listing !== undefined) listings.push(listing);
  }
  const positions = new RankedRuns(runs ?? []);
  // An intersection that has as many features as one of its listings is equal to that listing.
  const listing = listings.find(({ features }) => features === positions.count);
  if (listing === undefined) return { positions, listing };
  const { runs: _runs, ...rest } = listing;
  return { positions, listing: rest };
}
