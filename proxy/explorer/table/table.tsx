// A table of a person's own on the map: a script of its own, loaded when a file is chosen. It reads the file in a
// worker, and forgets it at the sign-out; a visit of another release matches it again.
import { batch, effect, signal } from '@preact/signals';
import { LEVELS, type Level } from '../../../format/levels.ts';
import { type Kept, OTHER_RELEASE } from '../api/client.ts';
import { statusOf } from '../map/faults.ts';
import { onPaletteChange, readPalette } from '../map/palette.ts';
import { levelsWithUnits } from '../state/place.ts';
import type { Visit } from '../state/visit.ts';
import { Card } from './card.tsx';
import { CLASSES, type Reading } from './classes.ts';
import { coloursOf } from './colours.ts';
import { coverOf, isDark, noteOf } from './cover.ts';
import { withColumn } from './geojson.ts';
import type { Choice } from './matching.ts';
import type { FromWorker, ReadTable, ToWorker } from './messages.ts';
import type { PageParts } from './table-tab.tsx';
import { shownText, valueAt } from './values.ts';

/** A table that is shown. */
export interface ShownTable {
  file: File;
  table: ReadTable;
}

/** How a table is read; a choice that nobody has made is found out. */
export interface Wish {
  choice?: Choice | undefined;
  reading: Reading;
}

/** What the card shows. */
export interface TableState {
  step: string;
  /** Is a file read that is not shown yet? */
  isComing: boolean;
  fault: string;
  shown: ShownTable | undefined;
}

const NOTHING: TableState = { step: '', isComing: false, fault: '', shown: undefined };
const USUAL: Wish = { reading: { count: CLASSES.usual } };

/** A file that is read, in a worker of its own. */
interface Reader {
  file: File;
  /** How it is read until it is shown. */
  wish: Wish;
  worker: Worker;
  ended: AbortController;
}

let parts: PageParts | undefined;
/** What is read, or shown. One that is not yet shown changes nothing until it is. */
let reader: Reader | undefined;
let coming: Reader | undefined;
const state = signal(NOTHING);

/** Reads a file, and shows it in place of the one before. */
export function showTable(file: File, page: PageParts): void {
  if (parts === undefined) start(page);
  const visit = page.page.visit.value;
  if (visit !== undefined) read(file, USUAL, visit);
}

function start(page: PageParts): void {
  parts = page;
  const link = document.createElement('link');
  link.rel = 'stylesheet';
  link.href = new URL('table.css', import.meta.url).href;
  document.head.append(link);
  page.page.tableCard.value = () => <Card state={state.value} {...actions} />;
  let last: Visit | undefined = page.page.visit.value;
  effect(() => {
    const visit = page.page.visit.value;
    const isSame = visit !== undefined && visit.about.release === last?.about.release;
    last = visit;
    // Of the same release it is in another language, on the same map.
    if (isSame) return;
    const { shown } = state.value;
    const { file, wish } = coming ?? (shown && { file: shown.file, wish: shown.table }) ?? {};
    // Until it is matched again nothing is shown: its units were those of another release.
    forget();
    if (visit === undefined || file === undefined || wish === undefined) return;
    visit.cover(undefined);
    read(file, wish, visit);
  });
  onPaletteChange(tellLegend);
}

/** Reads a file from its beginning. */
function read(file: File, wish: Wish, visit: Visit): void {
  end(coming);
  const worker = new Worker(new URL('worker.js', import.meta.url), { type: 'module' });
  const own = { file, wish, worker, ended: new AbortController() };
  coming = own;
  const tell = (message: ToWorker) => worker.postMessage(message);
  worker.addEventListener('message', ({ data }: MessageEvent<FromWorker>) => {
    const waits = visitFor(own);
    if (waits === undefined) return;
    if (data.is === 'step') state.value = { ...state.value, step: data.step };
    else if (data.is === 'wanted') void give(data.level, own, waits);
    else if (data.is === 'fault') refuse(own, data.fault);
    else show(own, data.table, waits);
  });
  worker.addEventListener('error', () => refuse(own, 'The table could not be read: its script did not load.'));
  state.value = { ...state.value, step: `Reading ${file.name}…`, isComing: true, fault: '' };
  tell({ is: 'file', file, levels: levelsOf(visit) });
  tell({ is: 'read', choice: wish.choice, reading: wish.reading });
}

/** The visit that waits for what a reader has, if one does. */
function visitFor(own: Reader): Visit | undefined {
  const visit = parts?.page.visit.value;
  return (own === coming || own === reader) && visit?.signal.aborted === false ? visit : undefined;
}

/** Ends a worker with what it has of the table, and what was asked for it. */
function end(own: Reader | undefined): void {
  own?.worker.terminate();
  own?.ended.abort();
}

/** Those that have units. */
function levelsOf({ about }: Visit): Level[] {
  const levels = levelsWithUnits(about.levels);
  return LEVELS.filter((level) => levels.includes(level));
}

/** Gives a worker the names of a level: with the files of the page's own map all that is asked for. */
async function give(level: Level, own: Reader, { client, about }: Visit): Promise<void> {
  const ask = (cache: Kept) => client.file(`names/lv${level}`, own.ended.signal, cache);
  try {
    let { blob, release } = await ask('default');
    // What the browser keeps may be of a release before.
    if (release !== about.release) ({ blob, release } = await ask('no-cache'));
    if (release !== about.release) throw new Error(`${OTHER_RELEASE} Choose the file again in a minute.`);
    own.worker.postMessage({ is: 'names', level, names: blob } satisfies ToWorker);
  } catch (error) {
    const waits = visitFor(own);
    // All of the page is signed out then.
    if (statusOf(error) === 401) waits?.fail(error);
    else if (waits !== undefined) refuse(own, error instanceof Error ? error.message : String(error));
  }
}

/** A refusal changes nothing: what is shown stays. Of a file that nobody waits for any more nothing is said. */
function refuse(own: Reader, fault: string): void {
  if (own !== coming && own !== reader) return;
  if (own === coming) {
    end(own);
    coming = undefined;
  }
  const step = coming === undefined ? '' : state.value.step;
  state.value = { ...state.value, step, isComing: coming !== undefined, fault: `${own.file.name}: ${fault}` };
}

function show(own: Reader, table: ReadTable, visit: Visit): void {
  if (own === coming) {
    end(reader);
    reader = own;
    coming = undefined;
  }
  batch(() => {
    state.value = { ...NOTHING, shown: { file: own.file, table } };
    tellLegend();
  });
  visit.cover(coverOf(table, own.ended.signal));
  parts?.announce(`${own.file.name}: ${table.found} units`);
}

/** The values by fid. */
function valuesOf({ fids, numbers, values }: ReadTable): ReadonlyMap<number, string> {
  const known = new Map<number, string>();
  for (const [i, fid] of fids.entries()) known.set(fid, valueAt(values, numbers[i]));
  return known;
}

function tellLegend(): void {
  const { table } = state.value.shown ?? {};
  if (parts === undefined) return;
  if (table === undefined) {
    parts.page.legend.value = undefined;
    return;
  }
  const { kind, classes, header, choice, units, found } = table;
  const colours = coloursOf(kind, classes.length, isDark());
  const { land, quiet } = readPalette();
  const entries = classes.map(({ text }, i) => ({ colour: colours[i] ?? '', text }));
  const isAll = classes.reduce((sum, own) => sum + own.units, 0) === units && found === units;
  const without = { colour: land, text: 'no value', stripes: quiet };
  parts.page.legend.value = {
    title: shownText(header[choice.value] ?? ''),
    entries: isAll ? entries : [...entries, without],
    noteOf: (level, fid) => (level === table.level ? noteOf(table, fid) : ''),
  };
}

function forget(): void {
  end(reader);
  end(coming);
  reader = undefined;
  coming = undefined;
  state.value = NOTHING;
  tellLegend();
}

const actions = {
  /** Reads the table that is shown by other columns, or otherwise. */
  change(wish: Wish): void {
    if (reader === undefined) return;
    state.value = { ...state.value, step: 'Finding the units…', fault: '' };
    reader.worker.postMessage({ is: 'read', choice: wish.choice, reading: wish.reading } satisfies ToWorker);
  },
  /** Ends the reading of a file that is not shown yet. */
  stop(): void {
    parts?.focusHeading();
    end(coming);
    coming = undefined;
    state.value = { ...state.value, step: '', isComing: false };
  },
  remove(): void {
    parts?.focusHeading();
    forget();
    parts?.page.visit.value?.cover(undefined);
  },
  /** Goes to the units of the table. */
  open({ level, within }: ReadTable): void {
    parts?.page.visit.value?.open(within && { ...within, inside: [] }, level);
  },
  hasMap: () => parts?.page.visit.value?.hasMap === true,
  savePicture(): void {
    void parts?.page.visit.value?.savePicture();
  },
  saveUnits({ table }: ShownTable): void {
    const visit = parts?.page.visit.value;
    if (parts === undefined || visit === undefined) return;
    const { level, within, header, choice, kind, sign } = table;
    const { about } = visit;
    const filters = new Map(within && [[within.level, within.gid]]);
    const geometry = about.geometries.find((name) => name !== 'none') ?? 'full';
    const { toGeoJson } = parts;
    const column = {
      name: header[choice.value] ?? '',
      values: valuesOf(table),
      sign: kind === 'numbers' ? sign : undefined,
    };
    void visit.download({
      title: shownText(column.name),
      listings: [{ level, filters, geometry }],
      isAllLevels: false,
      toFile: ({ features, release }) =>
        toGeoJson({
          ...{ features: withColumn(features, column), matched: features.length, release, level, geometry },
          ...{ parents: [...filters.values(), column.name], attribution: about.attribution },
        }),
    });
  },
};

export type TableActions = typeof actions;
