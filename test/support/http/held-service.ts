// A service whose origin holds reads back, for tests of what happens meanwhile.
import { directoryOrigin } from '../../../proxy/origin/directory.ts';
import type { Origin } from '../../../proxy/origin/origin.ts';
import { type RunningService, type ServiceOptions, startService } from './in-process-proxy.ts';

const isOfBodies = (path: string): boolean => path.endsWith('.gz') || path.includes('/alone/');

/**
 * A service whose reads of pages and features wait until `release` is called, and the number of such reads.
 * @param isHeld says for which reads that holds instead
 */
export async function heldService(
  folder: string,
  options: ServiceOptions = {},
  isHeld: (...[path, extent]: Parameters<Origin['read']>) => boolean = isOfBodies,
): Promise<{ service: RunningService; reads(): number; release(): void }> {
  const origin = directoryOrigin(folder);
  let reads = 0;
  let release = (): void => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  // Without `readNow`: every read can be held back.
  const held: Origin = {
    async read(path, range, client) {
      if (isHeld(path, range)) {
        reads++;
        await released;
      }
      return origin.read(path, range, client);
    },
  };
  return { service: await startService(folder, { ...options, origin: held }), reads: () => reads, release };
}
