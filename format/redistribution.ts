// Licences that forbid to pass the data on, as releases name them: their data is served to those who may use it, not to
// everybody.

const FORBIDDING = ['https://gadm.org/license.html'] as const;

/** The licence by which the data of a release may not be passed on; undefined if none of those above is named. */
export function forbidsRedistribution({
  licence,
  attribution,
}: {
  licence?: string | undefined;
  attribution: readonly string[];
}): string | undefined {
  return FORBIDDING.find((url) => licence === url || attribution.some((credit) => credit.includes(url)));
}
