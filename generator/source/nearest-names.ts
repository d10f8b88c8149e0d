// Names of columns by how near they are to one that was typed and does not exist, for the remedies of such options.

/** The names, the nearest first: that which begins alike where one was cut, then by letters that differ. */
export function nearestFirst(names: readonly string[], typed: string): string[] {
  const wanted = typed.toLowerCase();
  const far = new Map(names.map((name) => [name, distance(name.toLowerCase(), wanted)]));
  return names.toSorted((a, b) => (far.get(a) ?? 0) - (far.get(b) ?? 0));
}

/** 0 if the longer one begins with the shorter one, as a Shapefile cuts names; else letters to change, add or remove. */
function distance(a: string, b: string): number {
  const [shorter, longer] = a.length < b.length ? [a, b] : [b, a];
  if (shorter.length > 2 && longer.startsWith(shorter)) return 0;
  let before = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const [left = 0, above = 0, diagonal = 0] = [row[j - 1], before[j], before[j - 1]];
      row.push(Math.min(left + 1, above + 1, diagonal + (a[i - 1] === b[j - 1] ? 0 : 1)));
    }
    before = row;
  }
  return before.at(-1) ?? 0;
}
