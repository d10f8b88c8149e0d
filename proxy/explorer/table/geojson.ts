// Adds a column of a table to units as the service sends them, whose numbers keep all their digits.
import { type DecimalSign, readNumber } from './numbers.ts';

const PROPERTIES = '"properties":{';

export interface Column {
  name: string;
  /** By fid. */
  values: ReadonlyMap<number, string>;
  /** Of its numbers; undefined if it has texts. */
  sign: DecimalSign | undefined;
}

/**
 * @param features each as GeoJSON text
 * @returns the same with one property more, the first one; null where the table has no value
 */
export function withColumn(features: readonly string[], { name, values, sign }: Column): string[] {
  const own = JSON.stringify(freeName(name, features[0]));
  return features.map((feature) => {
    const at = feature.indexOf(PROPERTIES) + PROPERTIES.length;
    const value = values.get(fidIn(feature.slice(0, at)))?.trim() ?? '';
    const told = sign === undefined ? value : (readNumber(value, sign) ?? null);
    return `${feature.slice(0, at)}${own}:${JSON.stringify(told === '' ? null : told)},${feature.slice(at)}`;
  });
}

/** The id comes before the properties. */
function fidIn(start: string): number {
  return Number(/"id":(\d+)/.exec(start)?.[1]);
}

function freeName(name: string, feature: string | undefined): string {
  const taken = feature === undefined ? {} : JSON.parse(feature).properties;
  return Object.hasOwn(taken, name) ? freeName(`${name}_`, feature) : name;
}
