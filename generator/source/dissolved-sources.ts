// Which levels are made by uniting features, and from which layers: those of --dissolve, and GADM's single layer.
import { shellWord } from '../../format/command-line/messages.ts';
import { elementAt } from '../../format/element-at.ts';
import { LEVELS, type Level, levelName } from '../../format/levels.ts';
import { BuildError } from '../report/errors.ts';
import { type DissolvedLayer, isSameLayer, type LayerSource } from './level-source.ts';
import { countFeatures, openSelection } from './open-layer.ts';
import { nameFields, tellingFields } from './same-unit.ts';
import type { SeenLayer } from './seen-layers.ts';
import { type DissolveOption, dissolveToText, type SourceOptions, valuesFor } from './source-options.ts';

/** The levels of --dissolve that are published. */
function dissolvesOf({ dissolve = [], levels }: SourceOptions): readonly DissolveOption[] {
  return dissolve.filter(({ level }) => levels.includes(level));
}

/** The level whose features the units of a level are made of: itself, but for one that is made from a level below. */
export function featureLevel(level: Level, options: SourceOptions): Level {
  const option = dissolvesOf(options).find((own) => own.level === level && own.of !== level);
  return option === undefined ? level : featureLevel(option.of, options);
}

/** @throws BuildError for an option of a level that reads no features of its own */
function refuseOfMade({ level, of }: DissolveOption, options: SourceOptions): void {
  for (const name of ['where', 'sql', 'crs'] as const) {
    const own = options[name]?.find((given) => given.level === level);
    if (own === undefined) continue;
    const read = featureLevel(of, options);
    throw new BuildError(
      `--${name} ${levelName(level)}=${own.value}: level ${level} is made from features of level ${read} (--dissolve ${dissolveToText({ level, of })})`,
      `say it of that level, --${name} ${shellWord(`${levelName(read)}=${own.value}`)}, or leave it out`,
    );
  }
}

/** The layers of the source; one from which another level is made is a layer of that one, too. */
export function withDissolved(seen: readonly SeenLayer[], options: SourceOptions): SeenLayer[] {
  let layers = [...seen];
  // A level may be made from one that is made.
  for (const option of dissolvesOf(options).toSorted((a, b) => b.of - a.of)) {
    const { level, of } = option;
    if (!layers.some(({ levels }) => levels.includes(of)))
      throw new BuildError(
        `--dissolve ${dissolveToText(option)}: the source has no level ${of}`,
        `name its layer with --layer ${levelName(of)}=LAYER, or leave the option out`,
      );
    if (level === of) continue;
    refuseOfMade(option, options);
    const own = layers.find(({ levels }) => levels.includes(level));
    if (own !== undefined)
      throw new BuildError(
        `--dissolve ${dissolveToText(option)}: the source has a layer of level ${level}: ${own.path}: ${own.layer}`,
        'leave the option out, or that file',
      );
    layers = layers.map((layer) =>
      layer.levels.includes(of) ? { ...layer, levels: [...layer.levels, level].sort((a, b) => a - b) } : layer,
    );
  }
  return layers;
}

/** The layers of --dissolve. @throws BuildError if one has no GIDs of a level that is to be made */
export function dissolvedLayers(
  sources: readonly { source: LayerSource; names: readonly string[] }[],
  options: SourceOptions,
): DissolvedLayer[] {
  const dissolves = dissolvesOf(options);
  return sources.flatMap(({ source, names }) => {
    const own = dissolves.filter(({ of }) => of === source.level);
    if (own.length === 0) return [];
    const levels = LEVELS.filter((level) => own.some((option) => option.level === level));
    const without = own.find(({ level }) => source.gids[level]?.length === 0 || source.placed.includes(level));
    if (without !== undefined)
      throw new BuildError(
        `--dissolve ${dissolveToText(without)}: ${source.path}: layer ${source.layer} has no column of GIDs of level ${without.level}`,
        `name it with --gid-column ${levelName(without.level)}=COLUMN; the layer has ${names.join(', ')}`,
      );
    const madeOf = (level: Level) =>
      sources.find((other) => other.source.level === level && isSameLayer(other.source, source))?.source;
    const kept = levels.map((level) => [
      ...[options.nameColumns, options.typeColumns, options.searchColumns].flatMap((columns) =>
        valuesFor(columns, level),
      ),
      ...taggedNames(madeOf(level), names),
    ]);
    const telling = levels.map((level) => {
      const made = madeOf(level);
      if (made === undefined) return [];
      if (level === source.level) return tellingFields(made);
      // Its units have the name of one of theirs, unless an option says which column has their own.
      return valuesFor(options.nameColumns, level).length === 0 ? [] : nameFields(made);
    });
    return [dissolvedLayer(source, levels, { isSingle: false, isZeroNone: false, kept, telling })];
  });
}

/** The fields with names in languages, and with codes, of a layer from which a level is made. @param names of its fields */
function taggedNames(made: LayerSource | undefined, names: readonly string[]): string[] {
  const tagged = new Set([...(made?.languages ?? []), ...(made?.codes ?? [])].map(([, column]) => column));
  const fields = made?.columns.filter(({ name }) => tagged.has(name)).flatMap((column) => column.fields) ?? [];
  return fields.map((field) => elementAt(names, field));
}

/** Some units of a single layer have no GID at its level: they belong to levels above. */
export function findSingleLayer(found: readonly LayerSource[]): DissolvedLayer[] {
  const [only] = found;
  if (found.length !== 1 || only === undefined || only.level === 0 || only.gidColumns.includes('')) return [];
  const { level, where, sql, fields, gids, placed } = only;
  // The split reads the whole layer.
  if (where !== undefined || sql !== undefined || placed.length > 0) return [];
  const own = elementAt(gids, level);
  const last = elementAt(fields, elementAt(own, own.length - 1));
  const isNumber = last.type !== 'string';
  const isZeroNone = isNumber && own.length > 1 && GADM_2_COLUMN.test(last.name);
  const name = `"${last.name.replaceAll('"', '""')}"`;
  const none = isZeroNone ? [` OR ${name} = 0`] : isNumber ? [] : [` OR ${name} = ''`];
  const selection = { ...only, where: `${name} IS NULL${none.join('')}` };
  const opened = openSelection(selection);
  const shallower = countFeatures(opened, selection);
  opened.dataset.close();
  if (shallower === 0) return [];
  const levels = LEVELS.slice(0, level + 1);
  return [dissolvedLayer(only, levels, { isSingle: true, isZeroNone, kept: [], telling: [] })];
}

/** The columns of GADM 2 that have 0 where a unit belongs to a level above. */
const GADM_2_COLUMN = /^ID_[1-5]$/i;

function dissolvedLayer(
  { path, driver, encoding, crs, layer, level, where, sql, fields, gids, placed }: LayerSource,
  levels: readonly Level[],
  how: Pick<DissolvedLayer, 'isSingle' | 'isZeroNone' | 'kept' | 'telling'>,
): DissolvedLayer {
  // The GID of a parent that is found by place is in no column.
  const own = gids.map((gid, n) => (placed.some((by) => by === n) ? [] : gid));
  const columns = own.map((gid) => gid.map((at) => elementAt(fields, at).name).join('+'));
  return { path, driver, encoding, crs, layer, level, where, sql, fields, levels, gids: own, columns, ...how };
}
