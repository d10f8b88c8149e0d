// Files in V8's own format, which holds typed arrays as they are: what tasks of one build leave for others.
import { readFileSync, writeFileSync } from 'node:fs';
import { Deserializer, deserialize, Serializer, serialize } from 'node:v8';

export function writeSerialized(file: string, content: unknown): void {
  writeFileSync(file, serialize(content));
}

/** Reads what `writeSerialized` wrote: the caller knows the type. */
export function readSerialized<Content>(file: string): Content {
  return deserialize(readFileSync(file));
}

/**
 * Writes an object with large arrays; a Buffer is read as a Uint8Array. Each array that is read has a memory of its own:
 * those of `deserialize` lie in the bytes of the file, which are then held as a whole, or are copies beside them.
 */
export function writeArrays(file: string, content: object): void {
  const serializer = new Serializer();
  serializer.writeHeader();
  serializer.writeValue(content);
  writeFileSync(file, serializer.releaseBuffer());
}

/** Reads what `writeArrays` wrote: the caller knows the type. */
export function readArrays<Content>(file: string): Content {
  const deserializer = new Deserializer(readFileSync(file));
  deserializer.readHeader();
  return deserializer.readValue();
}
