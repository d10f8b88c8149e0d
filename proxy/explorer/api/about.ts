// What the service publishes about itself without a token: release, its date, geometries, tiles, changes, licence,
// attribution, languages and columns.
import { attributesAlone } from './geometry.ts';
import type { LevelColumns } from './unit.ts';

export interface About {
  /** What the service is called; undefined if it has no name of its own. */
  title: string | undefined;
  /** Undefined while the service has none. */
  release: string | undefined;
  /** `YYYY-MM-DD`; undefined if the release has none. */
  date: string | undefined;
  /** Of the release; `full` is always there. */
  geometries: string[];
  /** Of these, with the attributes of units. */
  lightest: string;
  /** Has the release vector tiles? */
  tiles: boolean;
  /** Are changes between releases published? */
  changes: boolean;
  /** Of the data: an SPDX identifier or an address; undefined if it is not known. */
  licence: string | undefined;
  attribution: string[];
  /** Tags of the languages that it has names in. */
  languages: string[];
  /** Of these the one of the names that are shown; empty for the default names. */
  lang: string;
  /** By level; a level without units has no columns. */
  levels: LevelColumns[];
  /** The sites whose pages may show the map in a frame. */
  embedOrigins: string[];
}

/** A level as the file has it. */
type Columns = Record<'gid' | 'name' | 'type', string | null> & {
  parents: (string | null)[];
  names?: Record<string, string>;
  codes?: Record<string, string>;
};

type Described = {
  level: string;
  bbox: 'exact' | 'boxes';
  columns: Columns;
  typeName?: string;
  attribution?: string[];
};

type AboutFile = Partial<
  Omit<About, 'levels' | 'date'> & { levels: Described[]; date: string | null; license: string | null }
>;

/** What is so where the service does not say it. */
const NOTHING: Pick<
  About,
  'title' | 'release' | 'tiles' | 'changes' | 'attribution' | 'languages' | 'lang' | 'embedOrigins'
> = {
  title: undefined,
  release: undefined,
  tiles: false,
  changes: false,
  attribution: [],
  languages: [],
  lang: '',
  embedOrigins: [],
};

/**
 * @param base the address of the page
 * @param cache `no-cache`: caches must ask whether it has changed
 * @returns without a release if the service has none, or did not say it
 */
export async function readAbout(base: string, cache: 'default' | 'no-cache' = 'default'): Promise<About> {
  try {
    const response = await fetch(new URL('about.json', base), { cache });
    return toAbout((response.ok ? await response.json() : {}) as AboutFile);
  } catch {
    // Nobody answers, the answer is cut off, or it is somebody else's, as that of a network that asks for a sign-in.
    return toAbout({});
  }
}

function toAbout({ date, license, geometries = ['full'], levels = [], ...about }: AboutFile): About {
  return {
    ...NOTHING,
    ...about,
    date: date ?? undefined,
    licence: license ?? undefined,
    geometries,
    lightest: attributesAlone(geometries),
    levels: columnsByLevel(levels),
  };
}

const NO_COLUMNS: Columns = { gid: null, name: null, type: null, parents: [] };

/** @param described those that have units */
function columnsByLevel(described: Described[]): LevelColumns[] {
  const known = new Map(described.map((one) => [one.level, one]));
  return [0, 1, 2, 3, 4, 5].map((level) => {
    const described = known.get(`lv${level}`);
    const { gid, name, type, parents, names, codes = {} } = described?.columns ?? NO_COLUMNS;
    const gidColumns = described ? [...parents, gid].map((column) => column ?? '') : [];
    const labels = { nameColumn: name ?? '', names, typeColumn: type ?? '', typeName: described?.typeName };
    const [hasBoxes, hasCodes] = [described?.bbox === 'boxes', Object.keys(codes).length > 0];
    return { level, gidColumns, ...labels, hasBoxes, hasCodes, attribution: described?.attribution ?? [] };
  });
}
