// Adds a column of a table to units as the service sends them. All numbers keep all their digits.
import { type DecimalSign, numberAsJson } from './numbers.ts';

const PROPERTIES = '"properties":{';
const GEOMETRY = '"geometry":';

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
  const own = JSON.stringify(freeName(name, features));
  return features.map((feature) => {
    const at = feature.indexOf(PROPERTIES) + PROPERTIES.length;
    const value = values.get(fidIn(feature.slice(0, at)))?.trim() ?? '';
    const text = JSON.stringify(value === '' ? null : value);
    const told = sign === undefined ? text : numberAsJson(value, sign);
    return `${feature.slice(0, at)}${own}:${told},${feature.slice(at)}`;
  });
}

/** The id comes before the properties. */
function fidIn(start: string): number {
  return Number(/"id":(\d+)/.exec(start)?.[1]);
}

/** Units of one level may have different properties. What is between quotation marks has none of its own unescaped. */
function freeName(name: string, features: readonly string[]): string {
  const key = `${JSON.stringify(name)}:`;
  const isTaken = features.some((feature) => {
    const at = feature.indexOf(key, feature.indexOf(PROPERTIES));
    return at !== -1 && at < feature.lastIndexOf(GEOMETRY);
  });
  return isTaken ? freeName(`${name}_`, features) : name;
}
