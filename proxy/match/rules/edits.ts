// Texts that are few edits apart: an edit inserts, removes or replaces a letter, or exchanges two neighbours (optimal
// string alignment).
import { u32At } from '../../../format/element-at.ts';

/** So many edits are tried at most. */
export type Edits = 0 | 1 | 2;

/** Letters that both texts have at least for so many edits. */
const LETTERS_MIN = { 1: 5, 2: 9 } as const;
const MASK_BITS = 31;

/** Units that are fewest edits away. */
export interface NearestUnits {
  edits: number;
  units: readonly number[];
}

/** The forms of some units, which texts are compared with. */
export class EditForms {
  /** In memory. */
  readonly bytes: number;
  readonly #text: Uint16Array;
  /** Where each form begins, and the last one ends. */
  readonly #start: Uint32Array;
  readonly #unit: Uint32Array;
  /** Which letters each has. */
  readonly #mask: Uint32Array;

  /** @param units with the forms of each */
  constructor(units: Iterable<readonly [unit: number, forms: readonly string[]]>) {
    const forms = Array.from(units, ([unit, own]) => own.filter(isCompared).map((form) => ({ unit, form }))).flat();
    this.#start = new Uint32Array(forms.length + 1);
    this.#unit = Uint32Array.from(forms, ({ unit }) => unit);
    this.#mask = Uint32Array.from(forms, ({ form }) => maskOf(form));
    for (const [i, { form }] of forms.entries()) this.#start[i + 1] = u32At(this.#start, i) + form.length;
    this.#text = new Uint16Array(u32At(this.#start, forms.length));
    for (const [i, { form }] of forms.entries())
      for (let at = 0; at < form.length; at++) this.#text[u32At(this.#start, i) + at] = form.charCodeAt(at);
    this.bytes = this.#text.byteLength + this.#start.byteLength + this.#unit.byteLength + this.#mask.byteLength;
  }

  /** The units that have a form the fewest edits away from one of these; undefined if none is near enough. */
  nearest(forms: readonly string[], most: Edits): NearestUnits | undefined {
    let least: number = most;
    let units = new Set<number>();
    for (const form of forms.filter(isCompared)) {
      const mask = maskOf(form);
      for (let i = 0; i < this.#unit.length; i++) {
        const [from, to] = [u32At(this.#start, i), u32At(this.#start, i + 1)];
        if (Math.abs(to - from - form.length) > least) continue;
        if (bitsIn(mask ^ u32At(this.#mask, i)) > 2 * least) continue;
        const edits = this.#editsTo(form, from, to, least);
        if (edits > least || Math.min(lettersIn(form), this.#lettersIn(from, to)) < lettersMin(edits)) continue;
        if (edits < least) units = new Set();
        least = edits;
        units.add(u32At(this.#unit, i));
      }
    }
    return units.size === 0 ? undefined : { edits: least, units: [...units] };
  }

  /** The edits from a text to the form from `from` to `to - 1`; more than `most` if they are more. */
  #editsTo(text: string, from: number, to: number, most: number): number {
    const length = to - from;
    let before: number[] = [];
    let last = Array.from({ length: length + 1 }, (_, i) => i);
    for (let row = 1; row <= text.length; row++) {
      const own = [row];
      const letter = text.charCodeAt(row - 1);
      let least = row;
      for (let column = 1; column <= length; column++) {
        const other = this.#text[from + column - 1];
        const replaced = (last[column - 1] ?? 0) + (letter === other ? 0 : 1);
        let edits = Math.min(replaced, (last[column] ?? 0) + 1, (own[column - 1] ?? 0) + 1);
        const isExchanged =
          row > 1 && column > 1 && letter === this.#text[from + column - 2] && text.charCodeAt(row - 2) === other;
        if (isExchanged) edits = Math.min(edits, (before[column - 2] ?? 0) + 1);
        own.push(edits);
        least = Math.min(least, edits);
      }
      if (least > most) return least;
      [before, last] = [last, own];
    }
    return last[length] ?? 0;
  }

  #lettersIn(from: number, to: number): number {
    let count = 0;
    for (let at = from; at < to; at++) if (this.#text[at] !== SPACE) count++;
    return count;
  }
}

const SPACE = 0x20;

function lettersMin(edits: number): number {
  return edits > 1 ? LETTERS_MIN[2] : LETTERS_MIN[1];
}

/** Names with numbers, such as Ward 1 and Ward 11, are never compared. */
export function isCompared(form: string): boolean {
  return lettersIn(form) >= LETTERS_MIN[1] && !/\p{N}/u.test(form);
}

function lettersIn(form: string): number {
  return form.replaceAll(' ', '').length;
}

/** A bit for each letter: an edit changes two at most. */
function maskOf(form: string): number {
  let mask = 0;
  for (let at = 0; at < form.length; at++) mask |= 1 << (form.charCodeAt(at) % MASK_BITS);
  return mask;
}

function bitsIn(mask: number): number {
  let count = 0;
  for (let rest = mask; rest !== 0; rest &= rest - 1) count++;
  return count;
}
