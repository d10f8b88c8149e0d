// Numbers in sets that are joined one after another (union and find, with path halving).
import { elementAt } from '../../format/element-at.ts';

/** Sets of the numbers from 0, each alone at first. */
export class DisjointSets {
  readonly #owners: number[];

  constructor(count: number) {
    this.#owners = Array.from({ length: count }, (_, number) => number);
  }

  /** The number that stands for the set of another one. */
  rootOf(number: number): number {
    let root = number;
    for (let owner = elementAt(this.#owners, root); owner !== root; owner = elementAt(this.#owners, root)) {
      this.#owners[root] = elementAt(this.#owners, owner);
      root = owner;
    }
    return root;
  }

  /** Joins the sets of two numbers. */
  join(one: number, other: number): void {
    this.#owners[this.rootOf(one)] = this.rootOf(other);
  }
}
