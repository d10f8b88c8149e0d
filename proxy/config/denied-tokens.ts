// The option --deny: tokens that are refused although they are valid.
import type { DenyList } from '../auth/authenticate.ts';
import { readDenyList, textToDenyList } from '../auth/deny-list.ts';
import { FILE_POLICY, Rotating } from '../keys/rotating-keys.ts';
import { StartError } from './start-error.ts';

const MEANING = {
  parse: textToDenyList,
  what: 'deny list',
  kept: 'what it named before is still refused',
  none: 'it refuses nothing',
  summary: ({ size }: DenyList) => (size === 1 ? '1 entry' : `${size.toLocaleString('en')} entries`),
};

/**
 * The deny list of a file, which is read again when it changes.
 * @param log receives a line when it has changed, cannot be used, or can be used again
 * @param now milliseconds of a monotonic clock
 * @throws StartError if it cannot be used
 */
export async function denyListIn(
  file: string,
  log: (line: string) => void,
  now?: () => number,
): Promise<Rotating<DenyList>> {
  const list = new Rotating({ name: file, read: () => readDenyList(file) }, MEANING, FILE_POLICY, log, now);
  const loaded = await list.load().catch(() => undefined);
  if (loaded !== undefined) return list;
  throw new StartError(
    `the deny list cannot be used: ${list.lastError}`,
    `--deny ${file}`,
    'name a file with a sub or jti a line; it may be empty',
  );
}
