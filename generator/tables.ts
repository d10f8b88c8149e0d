// What commands print when they are done: tables in plain text, numbers to the right.
import { levelName } from '../format/levels.ts';
import type { Built } from './build.ts';
import type { Changes, LevelDiff } from './diff.ts';
import type { LevelForecast } from './forecast.ts';
import type { ListedRelease } from './releases.ts';

/** Rows as aligned lines; numbers are grouped by thousands and aligned to the right. */
export function tableOf(rows: readonly (readonly (string | number)[])[]): string {
  const isNumber = rows.at(-1)?.map((cell) => typeof cell === 'number') ?? [];
  const text = rows.map((row) => row.map((cell) => (typeof cell === 'number' ? cell.toLocaleString('en') : cell)));
  const widths = isNumber.map((_, i) => Math.max(...text.map((row) => row[i]?.length ?? 0)));
  const align = (cell: string, i: number): string =>
    isNumber[i] ? cell.padStart(widths[i] ?? 0) : cell.padEnd(widths[i] ?? 0);
  return text.map((row) => row.map(align).join('  ').trimEnd()).join('\n');
}

/** A build's summary. */
export function buildTable({ release, remarks }: Built): string {
  const notes = remarks.map(({ level, count, what }) => `${levelName(level)}: ${count.toLocaleString('en')} ${what}`);
  return [levelTable(release.levels), ...notes].join('\n');
}

/** A row a level, and their sum. */
export function levelTable(levels: readonly LevelForecast[]): string {
  const rows = levels.map(({ level, layer, features, listings, pages, bytes }) => {
    return [levelName(level), layer || '-', features, listings, pages.geojsonl, pages.fc, bytes] as const;
  });
  const sum = (i: 2 | 3 | 4 | 5 | 6): number => rows.reduce((total, row) => total + row[i], 0);
  const head = ['level', 'layer', 'features', 'listings', 'geojsonl pages', 'fc pages', 'bytes'];
  return tableOf([head, ...rows, ['total', '', sum(2), sum(3), sum(4), sum(5), sum(6)]]);
}

/** What an operator wants to read before switching from one release to another. */
export function diffTable(levels: readonly LevelDiff[]): string {
  const counts = ({ added, removed, changed }: Changes): number[] => [added.count, removed.count, changed.count];
  const rows = levels.map(({ level, units, pages }) => [levelName(level), ...counts(units), ...counts(pages)]);
  const head = ['level', 'units added', 'removed', 'changed', 'pages added', 'removed', 'changed'];
  const examples = levels.flatMap(({ level, units }) =>
    Object.entries(units).flatMap(([kind, { count, examples: gids }]) =>
      count === 0 ? [] : [`${levelName(level)} ${kind}: ${gids.join(', ')}${count > gids.length ? ', ...' : ''}`],
    ),
  );
  return [tableOf([head, ...rows]), ...examples].join('\n');
}

/** The releases there are. */
export function releaseTable(listed: readonly ListedRelease[]): string {
  if (listed.length === 0) return 'no releases';
  const rows = listed.map(({ release, date, units, bytes, isCurrent }) => [
    release,
    date.toISOString().slice(0, 16).replace('T', ' '),
    isCurrent ? 'current' : '',
    units,
    bytes,
  ]);
  return tableOf([['release', 'written (UTC)', '', 'units', 'bytes'], ...rows]);
}
