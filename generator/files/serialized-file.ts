// Files in V8's own format, which holds typed arrays as they are: what tasks of one build leave for others.
import { readFileSync, writeFileSync } from 'node:fs';
import { deserialize, serialize } from 'node:v8';

export function writeSerialized(file: string, content: unknown): void {
  writeFileSync(file, serialize(content));
}

/** Reads what `writeSerialized` wrote: the caller knows the type. */
export function readSerialized<Content>(file: string): Content {
  return deserialize(readFileSync(file));
}
