// The newest release that was served: current.json, which is not signed, brings back no older one. Used with trusted
// keys, by hosted-releases.ts by way of `refusal`; worker processes tell each other (config/cluster.ts).
import { CURRENT_PATH } from '../../format/layout.ts';
import { isObject, numberIn, textIn } from '../../format/parse.ts';
import type { Origin } from '../origin/origin.ts';
import type { LoadedRelease } from './loaded-release.ts';
import type { SignedOrigin } from './signed-origin.ts';

/** A release that was served, by whatever process. Plain data: it is sent between processes. */
export interface ServedRelease {
  id: string;
  digest: string;
  /** When it was signed; empty if it does not say so. */
  time: string;
  sequence: number;
  /** The text of the current.json that named it. */
  pointer: string;
}

/** The newest release that this process has served, or another one of which it was told. */
export class NewestRelease {
  /** The origin of its releases. */
  readonly origin: Origin;
  readonly #signed: SignedOrigin;
  #served: ServedRelease | undefined;
  /** A current.json of another process, which is read once in place of that of the origin. */
  #told: string | undefined;
  /** Is called with each release that is served and newer than those before. */
  announce: (served: ServedRelease) => void = () => {};

  constructor(signed: SignedOrigin) {
    this.#signed = signed;
    this.origin = {
      ...signed,
      read: async (path, extent, reader) =>
        (path === CURRENT_PATH ? this.#takeTold() : undefined) ?? signed.read(path, extent, reader),
    };
  }

  get served(): ServedRelease | undefined {
    return this.#served;
  }

  /** Will current.json of another process be read next? */
  get isTold(): boolean {
    return this.#told !== undefined;
  }

  /**
   * Why a release is not served in place of the newest one; undefined if it may be, which counts as served then.
   * @param pointer the text of the current.json that names it
   * @throws OriginError if its time of signing cannot be read
   */
  readonly refusal = async ({ id, digest, sequence }: LoadedRelease, pointer: string): Promise<string | undefined> => {
    const [time] = await Promise.all([this.#signed.timeOf(id, digest), this.#lookAtServed()]);
    const release = { id, digest, sequence, time, pointer };
    const served = this.#served;
    if (served !== undefined && !isNewer(release, served)) {
      if (digest === served.digest) return undefined;
      const how = isNewer(served, release) ? 'older than' : 'as old as';
      return `${id} is ${how} what is served: sign it again, or start with --allow-rollback`;
    }
    this.#served = release;
    this.announce(release);
    return undefined;
  };

  /** Takes what another process serves. @returns whether it is newer than what was known */
  hear(message: unknown): boolean {
    const served = servedFrom(message);
    if (served === undefined || (this.#served !== undefined && !isNewer(served, this.#served))) return false;
    this.#served = served;
    this.#told = served.pointer;
    return true;
  }

  /** What is served may have been signed again: then others that were signed before it are older. */
  async #lookAtServed(): Promise<void> {
    if (this.#served === undefined) return;
    const { id, digest } = this.#served;
    const time = await this.#signed.timeOf(id, digest).catch(() => '');
    if (this.#served.digest === digest && time > this.#served.time) this.#served = { ...this.#served, time };
  }

  #takeTold(): Buffer | undefined {
    const told = this.#told;
    this.#told = undefined;
    return told === undefined ? undefined : Buffer.from(told);
  }
}

type Age = Pick<ServedRelease, 'time' | 'sequence'>;

/** What has no time of signing is older than what has one; among themselves, numbers decide. */
function isNewer(a: Age, b: Age): boolean {
  return a.time === b.time ? a.time === '' && a.sequence > b.sequence : a.time > b.time;
}

/** The release of a message between processes; undefined of other messages. */
function servedFrom(message: unknown): ServedRelease | undefined {
  if (!isObject(message) || !isObject(message['newestRelease'])) return undefined;
  const json = message['newestRelease'];
  const text = (member: string): string => textIn(json, member, 'the message of a worker');
  const [id, digest, time, pointer] = [text('id'), text('digest'), text('time'), text('pointer')];
  return { id, digest, time, pointer, sequence: numberIn(json, 'sequence', 'the message of a worker') };
}

/** The message that tells other processes of a release. */
export function toMessage(newestRelease: ServedRelease): object {
  return { newestRelease };
}
