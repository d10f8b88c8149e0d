// What `verify` finds, by file.

/** One problem of one file. */
export interface Finding {
  /** Relative to the output folder; a file of the source as it was given. */
  path: string;
  problem: string;
}

/** Maximum problems of one file that are listed one by one. */
const LISTED = 3;

/** Collects findings. */
export class Findings {
  readonly #byPath = new Map<string, { listed: string[]; more: number }>();

  add(path: string, problem: string): void {
    const problems = this.#byPath.get(path) ?? { listed: [], more: 0 };
    this.#byPath.set(path, problems);
    if (problems.listed.length < LISTED) problems.listed.push(problem);
    else problems.more++;
  }

  /** Findings by path; of a file with many problems, the first few and the number of the others. */
  list(): Finding[] {
    return [...this.#byPath]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .flatMap(([path, { listed, more }]) => {
        const all = more === 0 ? listed : [...listed, `and ${more} more problem${more === 1 ? '' : 's'}`];
        return all.map((problem) => ({ path, problem }));
      });
  }
}

/** The first difference of a text from what it should be, for messages; undefined if there is none. */
export function firstDifferentLine(text: string, expected: string): string | undefined {
  if (text === expected) return undefined;
  const [got, wanted] = [text.split('\n'), expected.split('\n')];
  const at = wanted.findIndex((line, i) => line !== got[i]);
  if (at === -1) return `line ${wanted.length} is ${got.slice(wanted.length - 1).join(' ')}, expected its end`;
  if (got[at] === undefined && wanted[at] === '') return 'its last line does not end in a line feed';
  return `line ${at + 1} is ${got[at] || 'missing'}, expected ${wanted[at] || 'its end'}`;
}
