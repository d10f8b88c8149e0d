// The file that keeps the coarse rings of a level beside its store, for the overview.
import { readFileSync, writeFileSync } from 'node:fs';
import { deserialize, serialize } from 'node:v8';
import { type CoarseLevel, newCoarseRings } from './coarse-rings.ts';

/** Keeps the rings of a level. @param store path of its store */
export function keepCoarseRings(store: string, level: CoarseLevel): void {
  writeFileSync(ringsPath(store), serialize(level));
}

/** The rings of a level; none without a store. */
export function readCoarseRings(store: string | undefined): CoarseLevel {
  return store === undefined ? newCoarseRings(1).level() : deserialize(readFileSync(ringsPath(store)));
}

function ringsPath(store: string): string {
  return `${store}.rings`;
}
