// Which blocks of the unfiltered geojsonl pages hold some features, and where those blocks stand in their files.
// Pure arithmetic over the manifest; proxy/slice.ts reads and cuts them.
import { GZIP_HEADER } from '../format/gzip.ts';
import { pagePath, releasePath } from '../format/layout.ts';
import type { Format } from '../format/levels.ts';
import { FRAMES, PAGE_CAPS } from '../format/levels.ts';
import type { Block, Manifest } from '../format/manifest.ts';
import type { Runs } from '../format/runs.ts';
import { countOf, pushRun } from '../format/runs.ts';

/** A block that holds wanted features. */
export interface Touch {
  block: Block;
  /** The number of the unfiltered page that has it. */
  page: number;
  /** Of the block's first byte in that page's file. */
  offset: number;
  /** The position of its first feature. */
  first: number;
  /** Which of its features are wanted, counted from 0 in the block. */
  wanted: Runs;
}

/** The file of a touch's page, relative to the origin. */
export function pathOf({ release, level }: Manifest, { page }: Touch): string {
  return `${releasePath(release)}/${pagePath(level, 'geojsonl', 'all', page)}`;
}

/** Are all features of the block wanted? */
function isWhole(touch: Touch): boolean {
  return countOf(touch.wanted) === touch.block.features;
}

/**
 * May the block stand in a body of that format as it is stored? All of it must be wanted, and where something stands
 * between features it must hold one only.
 */
export function passes(touch: Touch, format: Format): boolean {
  return isWhole(touch) && (FRAMES[format].between === '' || touch.block.features === 1);
}

/** Compressed bytes of all blocks. */
export function bytesOf(touches: readonly Touch[]): number {
  return touches.reduce((sum, { block }) => sum + block.bytes, 0);
}

/** The blocks that hold the features at `positions`, in order. */
export function touchesOf(manifest: Manifest, positions: Runs): Touch[] {
  const cap = PAGE_CAPS.geojsonl[manifest.level];
  const touches: (Touch & { wanted: number[] })[] = [];
  for (let i = 0; i < positions.length; i += 2) {
    const start = positions[i] ?? 0;
    const end = start + (positions[i + 1] ?? 0);
    for (let page = Math.floor(start / cap); page * cap < end; page++) {
      let first = page * cap;
      let offset = GZIP_HEADER.length;
      for (const block of manifest.blocks[page] ?? []) {
        const from = Math.max(start, first);
        const count = Math.min(end, first + block.features) - from;
        const last = touches.at(-1);
        if (count > 0 && last?.block === block) pushRun(last.wanted, from - first, count);
        else if (count > 0) touches.push({ block, page, offset, first, wanted: [from - first, count] });
        first += block.features;
        offset += block.bytes;
      }
    }
  }
  return touches;
}

/** Some touches, at least one, whose blocks follow each other in one file. */
export type TouchGroup = [Touch, ...Touch[]];

/** Groups touches so that a group's blocks follow each other in one file and have at most `maxBytes`, or are one block. */
export function groupTouches(touches: readonly Touch[], maxBytes: number): TouchGroup[] {
  const groups: TouchGroup[] = [];
  let bytes = 0;
  for (const touch of touches) {
    const group = groups.at(-1);
    const last = group?.at(-1);
    const follows = last?.page === touch.page && last.offset + last.block.bytes === touch.offset;
    if (group !== undefined && follows && bytes + touch.block.bytes <= maxBytes) {
      group.push(touch);
      bytes += touch.block.bytes;
    } else {
      groups.push([touch]);
      bytes = touch.block.bytes;
    }
  }
  return groups;
}
