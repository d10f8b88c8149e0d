// The attributes of units, borders and labels in tiles. `vectorLayers` of format/tiles.ts describes them.
import { elementAt } from '../../format/element-at.ts';
import { ownersOf } from '../../format/gid-column.ts';
import type { LevelAbout } from '../../format/level-json.ts';
import type { Level } from '../../format/levels.ts';
import { textInNames } from '../../format/names.ts';
import { languageAttribute } from '../../format/tiles.ts';
import { columnsBelow, gidsOf, indexAbove, type Relatives, relationsOf } from '../names/named-units.ts';
import { type LabelPlaces, labelZoom } from '../simplify/label-places.ts';
import type { LevelStore } from '../store/level-store.ts';
import type { TileValue } from './mvt.ts';

/** Names and values, in their order. */
export type Attributes = [name: string, value: TileValue][];

/** The attributes of the units of a level. */
export interface TileAttributes {
  fidAt(unit: number): number;
  /** Of its polygons. */
  unit(unit: number, hasName: boolean): Attributes;
  /** Of its label. */
  label(unit: number): Attributes;
  rankAt(unit: number): number;
  /** Those of the border of two units, with the number of their group: borders of one group have the same ones. */
  border(a: number, b: number): { group: number; attributes: Attributes };
}

/** A language whose names are in tiles. Plain data: it is sent to child processes. */
export interface TileLanguage {
  tag: string;
  /** Its number among the languages of the level. */
  at: number;
}

/** Those of a level among the tags that are asked for. */
export function tileLanguages(
  tags: readonly string[],
  { nameColumns = {} }: Pick<LevelAbout, 'nameColumns'>,
): TileLanguage[] {
  return Object.keys(nameColumns).flatMap((tag, at) => (tags.includes(tag) ? [{ tag, at }] : []));
}

/** Reads the attributes of a level. @param colours of its units @param languages of which it has names, too */
export function readTileAttributes(
  level: Level,
  store: LevelStore,
  { parent, below }: Relatives,
  labels: LabelPlaces,
  colours: Uint8Array,
  languages: readonly TileLanguage[],
): TileAttributes {
  const index = store.readIndex();
  const names = store.readNames();
  const relations = relationsOf(level, index, indexAbove(parent), columnsBelow(level, below));
  const numbers = index.columns.map((_, n) => n);
  const owners = index.columns.map((column) => ownersOf(column, index.features));
  const gids = numbers.map((n) => gidsOf(index, n));
  const groups = new Map<string, { group: number; attributes: Attributes }>();
  const parentsOf = (unit: number, end: number): Attributes =>
    numbers.slice(0, end).flatMap((n): Attributes => {
      const gid = elementAt(gids, n)(unit);
      return gid === null ? [] : [[`gid_${n}`, textInNames(gid)]];
    });
  const gidOf = (unit: number): Attributes => {
    const gid = elementAt(gids, level)(unit);
    return gid === null ? [] : [['gid', textInNames(gid)]];
  };
  const nameOf = (unit: number): Attributes => {
    const { name } = names.at(unit);
    const own = names.languagesAt(unit);
    const others = languages.flatMap(({ tag, at }): Attributes => {
      const text = elementAt(own, at);
      return text === null || text === name ? [] : [[languageAttribute(tag), textInNames(text)]];
    });
    return name === null ? others : [['name', textInNames(name)], ...others];
  };
  return {
    fidAt: (unit) => elementAt(index.fids, unit),
    // The GID comes last: what units of a tile have in common deflates to less if it stands together.
    unit: (unit, hasName) => [
      ...parentsOf(unit, level),
      ['colour', elementAt(colours, unit)],
      ['leaf', relations(unit).children === 0],
      ...(hasName ? nameOf(unit) : []),
      ...gidOf(unit),
    ],
    label(unit) {
      const { name } = names.at(unit);
      return [
        ...parentsOf(unit, level),
        ...nameOf(unit),
        ['rank', elementAt(labels.rank, unit)],
        ...(name === null ? [] : ([['zoom', labelZoom(labels, unit, name)]] satisfies Attributes)),
        ...gidOf(unit),
      ];
    },
    rankAt: (unit) => elementAt(labels.rank, unit),
    border(a, b) {
      const differing = owners.findIndex((owner) => elementAt(owner, a) !== elementAt(owner, b));
      const highest = differing === -1 ? level : differing;
      const key = [highest, ...owners.slice(0, highest).map((owner) => elementAt(owner, a))].join();
      const known = groups.get(key);
      if (known !== undefined) return known;
      const attributes: Attributes = [['level', highest], ...parentsOf(a, highest)];
      const made = { group: groups.size, attributes };
      groups.set(key, made);
      return made;
    },
  };
}
