// Which fields of a layer are published, and under which names.

import { shellWord } from '../../format/command-line/messages.ts';
import { elementAt } from '../../format/element-at.ts';
import { levelName } from '../../format/levels.ts';
import { BuildError } from '../report/errors.ts';
import type { Column, LevelLayer, SourceField } from './level-source.ts';
import type { LevelOption } from './source-options.ts';

/**
 * The published columns of a layer: its fields as chosen by --columns, and a column GID_n for each GID that is joined
 * from several fields. The columns of GIDs are always published.
 * @param chosen --columns; each applies to the layers that have the column
 * @throws BuildError for two columns of the same name
 */
export function publishedColumns(
  levelLayer: LevelLayer,
  fields: readonly SourceField[],
  gids: readonly (readonly number[])[],
  chosen: readonly LevelOption[],
): Column[] {
  const items = itemsFor(levelLayer, fields, chosen);
  const isAnyKept = items.some((item) => !item.isDropped && item.renamed === undefined);
  const columns = fields.flatMap(({ name, type, isGeometry }, at): Column[] => {
    const own = items.filter((item) => item.name === name);
    const isPublished = isAnyKept
      ? own.some((item) => !item.isDropped)
      : !isGeometry && !own.some((item) => item.isDropped);
    if (!isPublished && !gids.some((gid) => gid.length === 1 && gid[0] === at)) return [];
    const { renamed = name } = own.findLast((item) => item.renamed !== undefined) ?? {};
    return [{ name: renamed, type, fields: [at] }];
  });
  for (const [n, gid] of gids.entries())
    if (gid.length > 1) columns.push({ name: `GID_${n}`, type: 'string', fields: gid });
  refuseSameNames(levelLayer, columns);
  return columns;
}

/** What --columns says of a layer's columns. */
function itemsFor(
  levelLayer: LevelLayer,
  fields: readonly SourceField[],
  chosen: readonly LevelOption[],
): ColumnItem[] {
  const known = fields.map(({ name }) => name);
  return chosen.flatMap(({ level, value }) => {
    if (level !== undefined && level !== levelLayer.level) return [];
    return columnItems([value], known).filter(({ name }) => known.includes(name));
  });
}

/** An item of --columns: keep a column (`NAME`), drop it (`-NAME`) or rename it (`NAME:new`). */
interface ColumnItem {
  text: string;
  name: string;
  isDropped: boolean;
  renamed: string | undefined;
}

/**
 * The items of some values of --columns.
 * @param known the names of the columns
 * @throws BuildError for a new name that is empty
 */
export function columnItems(lists: readonly string[], known: readonly string[]): ColumnItem[] {
  const texts = lists.flatMap((list) => list.split(',')).map((text) => text.trim());
  return texts.map((text) => {
    if (text.startsWith('-')) return { text, name: text.slice(1), isDropped: true, renamed: undefined };
    const name = nameIn(text, known);
    if (name === text) return { text, name, isDropped: false, renamed: undefined };
    const renamed = text.slice(name.length + 1);
    if (renamed === '')
      throw new BuildError(`--columns ${text}: no new name for ${name}`, `e.g. --columns ${shellWord(`${name}:new`)}`);
    return { text, name, isDropped: false, renamed };
  });
}

/** The column of an item. Names may have colons, as `name:en` in OpenStreetMap: it is the longest that there is. */
function nameIn(text: string, known: readonly string[]): string {
  const found = known.filter((name) => `${text}:`.startsWith(`${name}:`));
  return found.sort((a, b) => b.length - a.length)[0] ?? text.replace(/:.*$/s, '');
}

function refuseSameNames({ path, layer, level }: LevelLayer, columns: readonly Column[]): void {
  const at = columns.findIndex(({ name }, i) => columns.slice(0, i).some((other) => other.name === name));
  if (at === -1) return;
  const { name } = elementAt(columns, at);
  throw new BuildError(
    `${path}: layer ${layer} would have two columns named ${name}`,
    `rename or drop one with --columns, e.g. --columns ${levelName(level)}=${name}:${name}_2`,
  );
}
