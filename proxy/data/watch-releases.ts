// Follows current.json: refreshes the releases by a timer or when it is called, and logs what changes.
import type { Releases } from './hosted-releases.ts';

const POLL_MS = 1000;

/**
 * Creates a function that refreshes the releases; it never rejects.
 * @param log receives a line for each new release, for each error that differs from the previous one, and for the end
 *   of an outage
 * @param looked is called after each refresh, with its error if it failed
 */
export function loggedRefresh(
  releases: Releases,
  log: (line: string) => void,
  looked: (error?: unknown) => void = () => {},
): () => Promise<void> {
  let lastError = '';
  return async () => {
    try {
      const served = await releases.refresh();
      looked();
      if (served !== undefined) log(`serving release ${served}`);
      else if (lastError !== '') log(`serving release ${releases.current?.id}: current.json can be read again`);
      lastError = '';
    } catch (error) {
      looked(error);
      const message = error instanceof Error ? error.message : String(error);
      const state = releases.current ? `still serving release ${releases.current.id}` : 'no release to serve';
      if (message !== lastError) log(`${state}: ${message}`);
      lastError = message;
    }
  };
}

/**
 * Refreshes every second until the returned function is called. Does not keep the process alive.
 * @param options as for `loggedRefresh`
 */
export function watchReleases(...options: Parameters<typeof loggedRefresh>): () => void {
  const refresh = loggedRefresh(...options);
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;
  const poll = async (): Promise<void> => {
    await refresh();
    if (!isStopped) timer = setTimeout(poll, POLL_MS).unref();
  };
  timer = setTimeout(poll, POLL_MS).unref();
  return () => {
    isStopped = true;
    clearTimeout(timer);
  };
}
