// A service whose origin holds reads back, for tests of what happens meanwhile.
import type { Origin } from '../../../proxy/origin/origin.ts';
import { watchedOrigin } from '../watched-origin.ts';
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
  let reads = 0;
  let release = (): void => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const origin = watchedOrigin(folder, async (path, extent) => {
    if (!isHeld(path, extent)) return;
    reads++;
    await released;
  });
  return { service: await startService(folder, { ...options, origin }), reads: () => reads, release };
}
