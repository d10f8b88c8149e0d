// Files beside the store of a level, in V8's own format, which holds typed arrays as they are: the index of the store,
// the names of its units, the plan of the level's files, and how many units are invalid.
import { readFileSync, writeFileSync } from 'node:fs';
import { deserialize, serialize } from 'node:v8';

type Sidecar = 'index' | 'names' | 'plan' | 'invalid';

/** Writes a file beside the store at `store`. */
export function writeSidecar(store: string, sidecar: Sidecar, content: unknown): void {
  writeFileSync(`${store}.${sidecar}`, serialize(content));
}

/** Reads what `writeSidecar` wrote: the caller knows the type. */
export function readSidecar<Content>(store: string, sidecar: Sidecar): Content {
  return deserialize(readFileSync(`${store}.${sidecar}`));
}
