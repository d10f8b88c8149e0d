// What a test file opens and must close, such as folders, services and processes. node:test runs `after` of a file when
// its process ends; many files share a process (run-together.ts), which would pile up what they opened.
import { after as afterTests } from 'node:test';

/** What is still to be done, each at most once. */
const pending = new Set<() => Promise<void>>();

/** Calls this when the test file ends or, where a test or a suite is being run, when that ends. */
export function after(end: () => unknown): void {
  const once = async (): Promise<void> => {
    if (pending.delete(once)) await end();
  };
  pending.add(once);
  afterTests(once);
}

/** Ends a test file: calls what is left, in the order of node:test, the first first. */
export async function endFile(): Promise<void> {
  const errors: unknown[] = [];
  for (const end of [...pending])
    try {
      await end();
    } catch (error) {
      errors.push(error);
    }
  if (errors.length > 0) throw new AggregateError(errors, 'what the file opened cannot be closed');
}
