// Names by how near they are to one that was typed and does not exist, for remedies: of columns
// (generator/source/level-sources.ts) and of options (yargs-messages.ts).

/** The names, the nearest first: that which begins alike where one was cut, then by letters that are wrong. */
export function nearestFirst(names: readonly string[], typed: string): string[] {
  const wanted = typed.toLowerCase();
  const far = new Map(names.map((name) => [name, distance(name.toLowerCase(), wanted)]));
  return names.toSorted((a, b) => (far.get(a) ?? 0) - (far.get(b) ?? 0));
}

/** 0 if the longer one begins with the shorter one, as a Shapefile cuts names; else letters that are wrong. */
export function distance(a: string, b: string): number {
  const [shorter, longer] = a.length < b.length ? [a, b] : [b, a];
  return shorter.length > 2 && longer.startsWith(shorter) ? 0 : wrongLetters(a, b);
}

/**
 * How many letters have to be put in, left out, replaced or exchanged with the next one to make one word the other:
 * the distance of optimal string alignment (https://en.wikipedia.org/wiki/Damerau%E2%80%93Levenshtein_distance).
 */
function wrongLetters(a: string, b: string): number {
  let [before, last]: [readonly number[], readonly number[]] = [[], Array.from({ length: b.length + 1 }, (_, j) => j)];
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const [left = 0, above = 0, diagonal = 0] = [row[j - 1], last[j], last[j - 1]];
      const isExchanged = a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const exchanged = isExchanged ? (before[j - 2] ?? Infinity) + 1 : Infinity;
      row.push(Math.min(left + 1, above + 1, diagonal + (a[i - 1] === b[j - 1] ? 0 : 1), exchanged));
    }
    [before, last] = [last, row];
  }
  return last.at(-1) ?? 0;
}
