// Which blocks of the unfiltered geojsonl pages hold some features, and where those blocks stand in their files.
// Pure arithmetic over the manifest; proxy/slice.ts reads and cuts them.
import { GZIP_HEADER } from '../format/gzip.ts';
import { pagePath, releasePath } from '../format/layout.ts';
import { PAGE_CAPS } from '../format/levels.ts';
import type { Block, Manifest } from '../format/manifest.ts';
import type { Runs } from '../format/runs.ts';
import { countOf, pushRun } from '../format/runs.ts';

/** A block that holds wanted features. */
export interface Touch {
  block: Block;
  /** The page's file, relative to the origin. */
  path: string;
  /** Of the block's first byte in that file. */
  offset: number;
  /** Which of its features are wanted, counted from 0 in the block. */
  wanted: Runs;
}

/** Are all features of the block wanted? */
export function isWhole(touch: Touch): boolean {
  return countOf(touch.wanted) === touch.block.features;
}

/** The blocks that hold the features at `positions`, in order. */
export function touchesOf(manifest: Manifest, positions: Runs): Touch[] {
  const { level, release } = manifest;
  const cap = PAGE_CAPS.geojsonl[level];
  const touches: (Touch & { wanted: number[] })[] = [];
  for (let i = 0; i < positions.length; i += 2) {
    const start = positions[i] ?? 0;
    const end = start + (positions[i + 1] ?? 0);
    for (let page = Math.floor(start / cap); page * cap < end; page++) {
      const path = `${releasePath(release)}/${pagePath(level, 'geojsonl', 'all', page)}`;
      let blockStart = page * cap;
      let offset = GZIP_HEADER.length;
      for (const block of manifest.blocks[page] ?? []) {
        const from = Math.max(start, blockStart);
        const count = Math.min(end, blockStart + block.features) - from;
        const last = touches.at(-1);
        if (count > 0 && last?.block === block) pushRun(last.wanted, from - blockStart, count);
        else if (count > 0) touches.push({ block, path, offset, wanted: [from - blockStart, count] });
        blockStart += block.features;
        offset += block.bytes;
      }
    }
  }
  return touches;
}

/** Groups touches so that a group's blocks follow each other in one file and have at most `maxBytes`, or are one block. */
export function groupTouches(touches: readonly Touch[], maxBytes: number): Touch[][] {
  const groups: Touch[][] = [];
  let bytes = 0;
  for (const touch of touches) {
    const group = groups.at(-1);
    const last = group?.at(-1);
    const follows = last?.path === touch.path && last.offset + last.block.bytes === touch.offset;
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
