// The names and types of a level's units: a file beside the level's store. The task that reads the dataset writes it;
// the tasks that write the names, the words and the tiles read it.
import { elementAt } from '../../format/element-at.ts';
import { readSerialized, writeSerialized } from '../files/serialized-file.ts';

/** A unit's name and type; null if it has none. */
export interface NameAndType {
  name: string | null;
  type: string | null;
}

/** The names and the type of the unit with a fid. */
export interface NamedFid extends NameAndType {
  fid: number;
  /** Its other names. */
  otherNames: readonly string[];
  /** Its names in the languages of the level, and its codes, in the order of their columns; null if it has none. */
  languages: readonly (string | null)[];
  codes: readonly (string | null)[];
}

/** The table of a level, by position. */
export interface NameTable {
  at(position: number): NameAndType;
  /** The other names of a unit. */
  othersAt(position: number): readonly string[];
  /** Its names in languages, and its codes. */
  languagesAt(position: number): readonly (string | null)[];
  codesAt(position: number): readonly (string | null)[];
  /** All names of each unit. @param withLanguages also those in the languages of the level */
  all(withLanguages?: boolean): Iterable<readonly string[]>;
}

/**
 * Name, type, other names, names in languages and codes of all units: lists of texts take less space than a list of
 * objects.
 */
type Lists = [(string | null)[], (string | null)[], (readonly string[])[], Texts[], Texts[]];
type Texts = readonly (string | null)[];

/** Writes a table. @param units in any order */
export function writeNameTable(file: string, units: readonly NamedFid[]): void {
  const ordered = units.toSorted((a, b) => a.fid - b.fid);
  const lists: Lists = [
    ordered.map(({ name }) => name),
    ordered.map(({ type }) => type),
    ordered.map(({ otherNames }) => otherNames),
    ordered.map(({ languages }) => languages),
    ordered.map(({ codes }) => codes),
  ];
  writeSerialized(file, lists);
}

/** Reads a table. */
export function readNameTable(file: string): NameTable {
  const [names, types, others, languages, codes] = readSerialized<Lists>(file);
  return {
    at: (position) => ({ name: elementAt(names, position), type: elementAt(types, position) }),
    othersAt: (position) => elementAt(others, position),
    languagesAt: (position) => elementAt(languages, position),
    codesAt: (position) => elementAt(codes, position),
    all: (withLanguages = true) =>
      names.map((name, i) =>
        [name, ...elementAt(others, i), ...(withLanguages ? elementAt(languages, i) : [])].filter(
          (text) => text !== null,
        ),
      ),
  };
}
