// What a table of names is matched with: levels of the current release of a folder, here or on a static host, or of a
// service, and what became of the units of releases before. Nothing is asked for that depends on the table.
import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { type ChangeRow, changesName, changesPath, type PublishedChanges } from '../../format/changes.ts';
import { currentFromJson } from '../../format/current-json.ts';
import { CURRENT_MAX_BYTES, CURRENT_PATH } from '../../format/layout.ts';
import { LEVELS, type Level, levelName } from '../../format/levels.ts';
import { FormatError, isObject, type JsonObject, listIn, objectFrom, textIn } from '../../format/parse.ts';
import type { Release } from '../../format/release-json.ts';
import { releaseErrorToStartError } from '../config/start-remedies.ts';
import { readDescription } from '../data/loaded-release.ts';
import { directoryOrigin } from '../origin/directory.ts';
import { fetchHostOrigin } from '../origin/fetch-host.ts';
import type { Origin } from '../origin/origin.ts';
import type { Cache } from '../tables/cache.ts';
import { CsvReader } from '../tables/csv-rows.ts';
import {
  damagedToStartError,
  type LevelInput,
  type LevelOpener,
  type OpenedLevels,
  openAddressLevels,
  openFolderLevels,
} from '../tables/open-files.ts';
import { withPublished } from '../tables/published.ts';
import { fetchFile, type Service } from '../tables/service.ts';
import type { SourceColumns } from './columns.ts';
import type { Change } from './rules/former-units.ts';
import { type LevelNames, LevelsReader } from './rules/level-names.ts';

/** Of the text of all changes together; what is older than this is left out. */
const CHANGES_MAX_BYTES = 16 * 1024 * 1024;

/** What became of units. */
export interface KnownChanges {
  rows: readonly Change[];
  /** The pairs of releases that are too much. */
  leftOut: readonly string[];
}

/** A release, or what will be the release. */
export interface MatchSource {
  /** Those that have units, ascending. */
  levels: readonly SourceColumns[];
  /** @throws StartError if the release is damaged */
  open(levels: readonly Level[]): Promise<OpenedLevels<LevelNames>>;
  /** @throws StartError likewise */
  changes(): Promise<KnownChanges>;
}

/** Of each level what is needed: one text of names is in memory at a time. */
function opener(): LevelOpener<LevelNames> {
  const reader = new LevelsReader();
  const open = ({ level, names }: LevelInput): LevelNames => reader.read({ level, text: names.text, file: names.name });
  return { hasCells: false, open };
}

/** The current release of an output folder. @throws StartError if there is none, or it is damaged */
export async function sourceInFolder(folder: string): Promise<MatchSource> {
  const orRefuse = (error: unknown): never => {
    throw releaseErrorToStartError(error, folder);
  };
  const origin = directoryOrigin(folder);
  const described = async () => {
    const pointer = (await origin.read(CURRENT_PATH, CURRENT_MAX_BYTES)).toString('utf8');
    const current = currentFromJson(pointer, CURRENT_PATH);
    const { release } = await readDescription(origin, current.release, current.digests.get(current.release) ?? '');
    return { current, release };
  };
  const { current, release } = await described().catch(orRefuse);
  return {
    levels: columnsOf(release),
    open: (levels) => openFolderLevels(folder, levels, opener()),
    changes: () => changesOf(origin, current.changes).catch(orRefuse),
  };
}

/** The current release of what is at an address: an output folder on a static host, or a service. @throws StartError */
export async function sourceAt(service: Service, cache: Cache): Promise<MatchSource> {
  const orRefuse = (error: unknown): never => {
    throw damagedToStartError(error, service.url);
  };
  const published = await withPublished(service, async (found) => found).catch(orRefuse);
  const open = (levels: readonly Level[]) => openAddressLevels(service, levels, cache, opener());
  if (published !== undefined) {
    const origin = fetchHostOrigin(new URL(service.url), {});
    const { release, current } = published;
    return { levels: columnsOf(release), open, changes: () => changesOf(origin, current.changes).catch(orRefuse) };
  }
  const answerOf = async (path: string): Promise<string> =>
    readFileSync((await fetchFile(service, path, '', cache)).kept.file, 'utf8');
  const about = objectFrom(await answerOf(''), service.url);
  return {
    levels: listIn(about, 'levels', service.url).map((entry) => columnsIn(objectFrom(entry, service.url), service.url)),
    open,
    async changes() {
      if (about['changes'] !== true) return { rows: [], leftOut: [] };
      const list = listIn(objectFrom(await answerOf('changes'), service.url), 'changes', service.url);
      const pairs = list.map((entry) => {
        const pair = objectFrom(entry, service.url);
        return { from: textIn(pair, 'from', service.url), to: textIn(pair, 'to', service.url) };
      });
      return changesIn(pairs, ({ from, to }) => answerOf(`changes/${changesName(from, to)}.csv`)).catch(orRefuse);
    },
  };
}

function columnsOf({ levels }: Release): SourceColumns[] {
  return levels.flatMap(({ level, features, gidColumns, nameColumn, nameColumns = {}, codeColumns = {} }) =>
    features === 0
      ? []
      : [{ level, gid: gidColumns[level] ?? '', name: nameColumn, names: nameColumns, codes: codeColumns }],
  );
}

/** A level as a service describes it. */
function columnsIn(entry: JsonObject, file: string): SourceColumns {
  const name = textIn(entry, 'level', file);
  const level = LEVELS.find((known) => levelName(known) === name);
  const columns = entry['columns'];
  if (level === undefined || !isObject(columns)) throw new FormatError(file, `level ${name} is not known`);
  const textsOf = (value: unknown): Record<string, string> =>
    isObject(value) ? Object.fromEntries(Object.entries(value).map(([key, text]) => [key, String(text)])) : {};
  const { gid, name: own, names, codes } = columns;
  return { level, gid: String(gid ?? ''), name: String(own ?? ''), names: textsOf(names), codes: textsOf(codes) };
}

/** The changes that current.json lists. */
function changesOf(origin: Origin, published: readonly PublishedChanges[] = []): Promise<KnownChanges> {
  return changesIn(published, async ({ from, to, bytes, textBytes, sha256 }) => {
    const path = changesPath(from, to);
    if (textBytes > CHANGES_MAX_BYTES) return undefined;
    const zipped = await origin.read(path, bytes);
    if (hash('sha256', zipped, 'hex') !== sha256) throw new FormatError(path, 'is damaged');
    return gunzipSync(zipped, { maxOutputLength: Math.max(textBytes, 1) }).toString('utf8');
  });
}

/** @param textOf undefined if it is too much */
async function changesIn<Pair extends { from: string; to: string }>(
  pairs: readonly Pair[],
  textOf: (pair: Pair) => Promise<string | undefined>,
): Promise<KnownChanges> {
  const rows: Change[] = [];
  const leftOut: string[] = [];
  let bytes = 0;
  // The last ones are the newest.
  for (const pair of pairs.toReversed()) {
    const text = bytes < CHANGES_MAX_BYTES ? await textOf(pair) : undefined;
    bytes += text?.length ?? CHANGES_MAX_BYTES;
    if (text === undefined || bytes > CHANGES_MAX_BYTES) leftOut.push(changesName(pair.from, pair.to));
    else rows.push(...changeRows(text));
  }
  return { rows, leftOut };
}

function* changeRows(text: string): Generator<Change> {
  const reader = new CsvReader({ separator: ',', lineEnd: '\r\n' }, 1, CHANGES_MAX_BYTES);
  for (const { values } of reader.read(text)) {
    const [name, fromGid = '', fromName = '', toGid = ''] = values;
    const level: ChangeRow['level'] | undefined = LEVELS.find((known) => levelName(known) === name);
    if (level !== undefined) yield { level, fromGid, fromName, toGid };
  }
}
