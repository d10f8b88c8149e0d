// Numbers in groups, one group after the other in one array: they are counted first, then put in their places.
import { i32At } from '../../format/element-at.ts';

/** Groups of numbers. */
export class NumberGroups {
  /** Where each group begins in `numbers`, and the last one ends. */
  readonly begins: Int32Array;
  readonly numbers: Int32Array;

  /** @param each gives all numbers with their groups, twice, in the same order */
  constructor(groups: number, each: (take: (group: number, number: number) => void) => void) {
    const begins = new Int32Array(groups + 1);
    each((group) => {
      begins[group + 1] = i32At(begins, group + 1) + 1;
    });
    for (let group = 0; group < groups; group++) begins[group + 1] = i32At(begins, group + 1) + i32At(begins, group);
    const [numbers, next] = [new Int32Array(i32At(begins, groups)), begins.slice()];
    each((group, number) => {
      const at = i32At(next, group);
      numbers[at] = number;
      next[group] = at + 1;
    });
    [this.begins, this.numbers] = [begins, numbers];
  }

  /** The numbers of a group, in the order in which they were given. */
  of(group: number): Int32Array {
    return this.numbers.subarray(i32At(this.begins, group), i32At(this.begins, group + 1));
  }
}
