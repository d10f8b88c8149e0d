// The columns of a layer with names in languages, and with codes: those that an option names, and those of known
// schemas that are asked for by their tags. None is taken that nobody asked for: names, words and tiles grow by each.
import { nearestFirst } from '../../format/command-line/nearest-names.ts';
import { elementAt } from '../../format/element-at.ts';
import { type Level, levelName } from '../../format/levels.ts';
import { BuildError } from '../report/errors.ts';
import { fieldNamed } from './gid-columns.ts';
import type { SourceField, TaggedColumn } from './level-source.ts';
import { columnItems } from './published-columns.ts';
import { SCHEMAS } from './schemas.ts';
import { ALL, columnsByTag, type SourceOptions, valuesFor } from './source-options.ts';

/** The kinds of columns with a tag. */
export const TAGGED_KINDS = ['languages', 'codes'] as const;
export type TaggedKind = (typeof TAGGED_KINDS)[number];

/** What options and messages say of a kind. */
const KINDS = {
  languages: {
    option: 'name-column',
    member: 'languageColumns',
    what: 'names in',
    all: 'names in languages',
    example: 'lv1:fr=COLUMN',
  },
  codes: { option: 'code-column', member: 'codeColumns', what: 'codes', all: 'codes', example: 'lv3:ine=COLUMN' },
} as const;

/** What has some tags, for people. */
export function tagsToText(kind: TaggedKind, tags: readonly string[]): string {
  const { what, all } = KINDS[kind];
  return tags.includes(ALL) ? all : `${what} ${tags.join(', ')}`;
}

/** The columns of a layer of one kind, by tag. */
export interface AskedColumns {
  /** Those that are asked for, sorted. */
  taken: TaggedColumn[];
  /** The tags of the others that are known. */
  offered: string[];
}

/** What is known of a layer. */
export interface AskedLayer {
  level: Level;
  fields: readonly SourceField[];
  /** The fields of its default names and of its GIDs; undefined for none, or several. */
  nameField: number | undefined;
  gidField: number | undefined;
  /** The name of the published column of a field; empty if it is left out. */
  columnOf(field: number): string;
}

/** @throws BuildError if an option names a column that is left out */
export function askedColumns(kind: TaggedKind, layer: AskedLayer, options: SourceOptions): AskedColumns {
  const { level, fields, nameField, columnOf } = layer;
  const { option, member } = KINDS[kind];
  const [asked = [], named = []] = [options[kind], options[member]];
  const known = knownColumns(kind, layer, options);
  // Who has names in other languages asks for those in that of the default names, too.
  const isDefault = (field: number): boolean => kind === 'languages' && field === nameField;
  const isAnyAsked = asked.length > 0 || named.length > 0;
  const isAsked = (tag: string, field: number): boolean =>
    asked.includes(ALL) || asked.includes(tag) || (isAnyAsked && isDefault(field));
  const taken = new Map(
    [...known].filter(([tag, field]) => isAsked(tag, field)).map(([tag, field]) => [tag, columnOf(field)]),
  );
  for (const [tag, value] of columnsByTag(named, level)) {
    const field = fieldNamed(value, fields);
    if (field === undefined) continue;
    const column = columnOf(field);
    if (column === '')
      throw new BuildError(
        `--${option} ${levelName(level)}:${tag}=${value}: --columns leaves this column out`,
        `${keepingOf(elementAt(fields, field).name, level, options)}, or leave out --${option}`,
      );
    taken.set(tag, column);
  }
  return {
    taken: byTag(taken),
    offered: [...known].flatMap(([tag, field]) => (taken.has(tag) || isDefault(field) ? [] : [tag])),
  };
}

/** What makes --columns keep a column. To add one where none is named to be kept would leave out all others. */
function keepingOf(name: string, level: Level, { columns }: SourceOptions): string {
  const dropped = columnItems(valuesFor(columns, level), [name]).find((item) => item.isDropped && item.name === name);
  return dropped === undefined ? `add ${name} to --columns` : `leave ${dropped.text} out of --columns`;
}

/**
 * The published fields of the schema of a layer by tag. Codes that are its GIDs are none; nor is, of a level that is made
 * by uniting features, what these have of their own: a state of one county would have the code of that.
 */
function knownColumns(
  kind: TaggedKind,
  { level, fields, gidField, columnOf }: AskedLayer,
  { dissolve = [] }: SourceOptions,
): Map<string, number> {
  const own = SCHEMAS.find(({ marker }) => marker !== undefined && fieldNamed(marker, fields) !== undefined);
  const schemas = own === undefined ? SCHEMAS.filter(({ marker }) => marker === undefined) : [own];
  const columnsAt = (n: Level) => schemas.flatMap((schema) => schema[kind]?.(n) ?? []);
  const united = dissolve.find((option) => option.level === level && option.of !== level);
  const ofFeatures = new Set(united && columnsAt(united.of).map(([, name]) => name));
  const known = new Map<string, number>();
  for (const [tag, name] of columnsAt(level)) {
    const field = fieldNamed(name, fields);
    if (field === undefined || known.has(tag) || columnOf(field) === '' || ofFeatures.has(name)) continue;
    if (kind === 'languages' || field !== gidField) known.set(tag, field);
  }
  return known;
}

/** The columns of a level by tag: of several layers the first that has one. */
export function firstByTag(layers: readonly { [Kind in TaggedKind]: readonly TaggedColumn[] }[], kind: TaggedKind) {
  return byTag(new Map(layers.toReversed().flatMap((layer) => layer[kind])));
}

function byTag(columns: ReadonlyMap<string, string>): TaggedColumn[] {
  return [...columns].sort(([a], [b]) => (a < b ? -1 : 1));
}

/** @param found of each layer of the levels that are published @throws BuildError for a tag that none of them has */
export function refuseUnknownTags(
  options: SourceOptions,
  found: readonly { [Kind in TaggedKind]: AskedColumns }[],
): void {
  for (const kind of TAGGED_KINDS) {
    const { option, example } = KINDS[kind];
    const taken = new Set(found.flatMap((layer) => layer[kind].taken.map(([tag]) => tag)));
    const unknown = options[kind]?.find((tag) => (tag === ALL ? taken.size === 0 : !taken.has(tag)));
    if (unknown === undefined) continue;
    const known = [...new Set([...taken, ...found.flatMap((layer) => layer[kind].offered)])].sort();
    throw new BuildError(
      `--${kind} ${unknown}: no layer has a column of ${tagsToText(kind, [unknown])} that is known and published`,
      `${known.length === 0 ? '' : `use some of ${nearestFirst(known, unknown).join(', ')}; or `}name the column with --${option} ${example}`,
    );
  }
}

/** The tags that are known of some layers and that no level takes, sorted. */
export function offeredTags(found: readonly AskedColumns[]): string[] {
  const taken = new Set(found.flatMap((layer) => layer.taken.map(([tag]) => tag)));
  return [...new Set(found.flatMap(({ offered }) => offered))].filter((tag) => !taken.has(tag)).sort();
}
