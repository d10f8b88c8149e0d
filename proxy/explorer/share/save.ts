// Hands a file to the browser, which saves it where the user wants it.
import type { UnitsFile } from './units-file.ts';

/** A browser needs the address until it has begun to save; then it is only memory. */
const ADDRESS_MS = 60_000;

export function save({ name, type, parts }: UnitsFile) {
  const address = URL.createObjectURL(new Blob(parts, { type }));
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), ADDRESS_MS);
}
