// Samples of long lists of cases: `npm test` tries these, `npm run test:long` all.

/** Cases from the whole list, the first and the last among them. */
export function sampleOf<T>(cases: readonly T[], count: number): T[] {
  if (cases.length <= count) return [...cases];
  const chosen = new Set(Array.from({ length: count }, (_, i) => Math.round((i * (cases.length - 1)) / (count - 1))));
  return cases.filter((_, i) => chosen.has(i));
}
