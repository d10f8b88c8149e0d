// The worker that reads a table and finds its units, so that the page never waits. It asks for nothing by itself: the
// page gives it the file and the names.
import { type Level, levelName } from '../../../format/levels.ts';
import { NO_UNIT } from '../../match/rules/level-names.ts';
import { classify, type Reading } from './classes.ts';
import { addProblem, type Choice, findColumns, type MatchedTable, matchTable, NamesDown } from './matching.ts';
import type { FromWorker, ReadTable, ToWorker } from './messages.ts';
import { type OpenTable, openTable } from './reading.ts';
import { fidsOf } from './unit-fids.ts';
import { joinValues, shownText } from './values.ts';

/** The table, once it is open, and its names. */
let opened: { table: Promise<OpenTable>; names: NamesDown } | undefined;
/** What was matched last. */
let matched: { key: string; table: MatchedTable; fids: Float64Array; numbers: Uint32Array } | undefined;
/** How often it was asked to read: what is asked later counts. */
let asked = 0;
const blobs = new Map<Level, Blob>();
const waiting = new Map<Level, (names: Blob) => void>();

addEventListener('message', ({ data }: MessageEvent<ToWorker>) => {
  if (data.is === 'names') waiting.get(data.level)?.(data.names);
  else if (data.is === 'read') void read(data.choice, data.reading);
  else {
    const table = openTable(data.file);
    // What is wrong with it, `read` says.
    table.catch(() => {});
    opened = { table, names: new NamesDown(data.levels, namesOf) };
  }
});

function say(message: FromWorker): void {
  postMessage(message);
}

async function namesOf(level: Level): Promise<Uint8Array> {
  let blob = blobs.get(level);
  if (blob === undefined) {
    say({ is: 'step', step: `Loading the names of level ${level}…` });
    say({ is: 'wanted', level });
    blob = await new Promise<Blob>((resolve) => waiting.set(level, resolve));
    blobs.set(level, blob);
    say({ is: 'step', step: 'Finding the units…' });
  }
  return new Uint8Array(await blob.arrayBuffer());
}

async function read(wanted: Choice | undefined, reading: Reading): Promise<void> {
  const own = ++asked;
  try {
    if (opened === undefined) return;
    const table = await opened.table;
    const choice = wanted ?? (await findColumns(table, opened.names));
    const answer = await tableOf(table, choice, reading, opened.names);
    if (own === asked) say({ is: 'table', table: answer });
  } catch (error) {
    if (own === asked) say({ is: 'fault', fault: error instanceof Error ? error.message : String(error) });
  }
}

async function tableOf(table: OpenTable, choice: Choice, reading: Reading, names: NamesDown): Promise<ReadTable> {
  const { header, encoding, rows, form } = table;
  const { table: own, fids, numbers } = await match(table, choice, names);
  const { level, within, units, values, lines } = own;
  const { kind, sign, classes, read, of, noNumbers } = classify(values, reading, form.separator);
  const problems = { ...own.problems };
  for (const i of noNumbers) addProblem(problems, 'no number', { line: lines[i] ?? 0, text: values[i] ?? '' });
  return {
    ...{
      header,
      encoding,
      rows,
      separator: form.separator,
      choice,
      reading,
      levels: names.levels,
      level,
      within,
      units,
      found: values.length,
    },
    ...{ kind, sign, problems, fids, numbers, values: joinValues(values) },
    classes: classes.map((one) => ({ ...one, text: shownText(one.text) })),
    read: read.map((one) => ({ ...one, text: shownText(one.text) })),
    of: Uint8Array.from(numbers, (i) => of[i] ?? 0),
  };
}

async function match(table: OpenTable, choice: Choice, names: NamesDown): Promise<NonNullable<typeof matched>> {
  const key = JSON.stringify(choice);
  if (matched?.key === key) return matched;
  const own = await matchTable(table, choice, names);
  const units = (await names.downTo(own.level)).namesOf(own.level);
  const numberAt = new Map(own.positions.map((position, i) => [position, i]));
  // Several units may have one GID: each is drawn as the first of them.
  const pieces = Array.from({ length: units.units }, (_, unit) => numberAt.get(units.firstOf(unit)) ?? NO_UNIT);
  const drawn = pieces.flatMap((i, unit) => (i === NO_UNIT ? [] : [unit]));
  const fids = fidsOf(await namesOf(own.level), drawn, levelName(own.level));
  matched = { key, table: own, fids, numbers: Uint32Array.from(pieces.filter((i) => i !== NO_UNIT)) };
  return matched;
}
