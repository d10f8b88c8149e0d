// Which release services with --trusted-key take for the newest: the one that was signed last. They do not go back to
// an older one, whatever current.json says.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { RELEASE_FILE, releasePath, SIGNATURE_ENDING } from '../../format/layout.ts';
import { FormatError } from '../../format/parse.ts';
import { recordedIn } from './current-file.ts';
import { signedTime } from './sign.ts';
import { descriptionIn, publishedReleases } from './staging.ts';

/** When a release was signed; without a time, as by 1.1.0, its number decides. */
interface Signed {
  id: string;
  /** Empty for none. */
  time: string;
  sequence: number;
}

/** The hosted release with which services with --trusted-key go on if this one is made current; undefined if none. */
export function signedLater(out: string, release: string): string | undefined {
  const own = signedIn(out, release);
  const published = publishedReleases(out);
  const others = (recordedIn(out)?.hosted ?? [])
    .filter((id) => id !== release && published.includes(id))
    .flatMap((id) => signedIn(out, id) ?? [])
    .sort(order);
  const last = others.at(-1);
  return last !== undefined && (own === undefined || order(own, last) < 0) ? last.id : undefined;
}

function order(a: Signed, b: Signed): number {
  if (a.time !== b.time) return a.time < b.time ? -1 : 1;
  return a.sequence - b.sequence;
}

/** Undefined if it is not signed, or what says so is damaged: services do not read it then. */
function signedIn(out: string, id: string): Signed | undefined {
  const root = join(out, releasePath(id));
  const described = descriptionIn(out, id);
  if (described instanceof FormatError || !existsSync(join(root, `${RELEASE_FILE}${SIGNATURE_ENDING}`)))
    return undefined;
  try {
    return { id, time: signedTime(root) ?? '', sequence: described.sequence };
  } catch (error) {
    if (error instanceof FormatError) return undefined;
    throw error;
  }
}
