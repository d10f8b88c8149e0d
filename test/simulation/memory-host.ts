// A host in memory that fails in the ways of real ones, as a seed says: wrong statuses and lengths, other ranges, cut
// bodies, silence, a trickle. What it sends is checked by the code that checks the responses of real hosts.
import { elementAt } from '../../format/element-at.ts';
import {
  type Chunks,
  checkedBody,
  concatChunks,
  type FileRequest,
  HOST_LIMITS,
  type HostResponse,
  requestFor,
  responseInTime,
} from '../../proxy/origin/host-response.ts';
import { type ByteRange, type Origin, OriginError } from '../../proxy/origin/origin.ts';
import type { Dice } from '../support/dice.ts';
import type { VirtualTime } from './virtual-time.ts';

/** A host that is `refused` or `silent` has no response; the others are wrong in their head or body. */
const FAULTS = ['refused', 'silent', 'status', 'length', 'range', 'cut', 'ended', 'long', 'stall', 'trickle'] as const;
type Ending = 'right' | (typeof FAULTS)[number];
/** Statuses without a file: redirects, and what servers and caches say of errors. */
const STATUSES = [204, 302, 304, 404, 416, 429, 500, 503];
const PIECE_BYTES = 700;
/** Pieces of a body that trickles, and milliseconds between two of them: together more than a read may take. */
const TRICKLE = { pieces: 20, pauseMs: 4_000 } as const;

export interface HostWorld {
  readonly time: VirtualTime;
  readonly dice: Dice;
  wait(): Promise<void>;
  /** The content of a file, possibly with a flipped bit. @throws OriginError missing */
  contentOf(path: string): Buffer;
  fails(): boolean;
  /** Something was wrong until now. */
  failed(): void;
  /** A response is open, or no longer. */
  opened(by: 1 | -1): void;
}

export function memoryHost(world: HostWorld): Origin {
  const deadline = (): number => HOST_LIMITS.now() + HOST_LIMITS.readMs;
  async function* chunks(path: string, extent: ByteRange | number, until: number): Chunks {
    const request = requestFor(path, extent);
    const response = await responseInTime(path, HOST_LIMITS, ({ signal }) => respond(world, request, signal));
    yield* checkedBody(response, request, HOST_LIMITS, until);
  }
  return { read: (path, extent) => concatChunks(chunks(path, extent, deadline()), extent) };
}

async function respond(world: HostWorld, { path, range }: FileRequest, gone: AbortSignal): Promise<HostResponse> {
  const { dice } = world;
  const ending: Ending = world.fails() ? elementAt(FAULTS, dice(FAULTS.length)) : 'right';
  await (ending === 'silent' ? ends(gone) : world.wait());
  if (ending === 'refused') throw new OriginError('unreachable', path, 'simulated');
  const content = world.contentOf(path);
  // Some hosts ignore ranges.
  const isWhole = range === undefined || (ending === 'right' && dice(8) === 0);
  const { offset, length } = isWhole ? { offset: 0, length: content.length } : range;
  const part = ending === 'status' ? Buffer.from('<html>') : content.subarray(offset, offset + length);
  const stop = new AbortController();
  world.opened(1);
  return {
    status: ending === 'status' ? elementAt(STATUSES, dice(STATUSES.length)) : isWhole ? 200 : 206,
    contentRange: `bytes ${offset + (ending === 'range' ? 1 : 0)}-${offset + length - 1}/${content.length}`,
    contentLength: dice(2) === 0 ? undefined : String(part.length + (ending === 'length' ? -1 : 0)),
    body: bodyOf(world, part, ending, stop.signal),
    cancel() {
      if (stop.signal.aborted) return;
      stop.abort();
      world.opened(-1);
      // Who waited for it learns of it now.
      if (ending !== 'right') world.failed();
    },
  };
}

async function* bodyOf({ time, dice }: HostWorld, part: Buffer, ending: Ending, stopped: AbortSignal): Chunks {
  // Of a body that is cut, or ends early, at least one byte is missing.
  const end = ['cut', 'ended', 'stall', 'length'].includes(ending) ? dice(part.length) : part.length;
  const whenStopped = ends(stopped);
  whenStopped.catch(() => {});
  const bytes = ending === 'trickle' ? Math.ceil(part.length / TRICKLE.pieces) : PIECE_BYTES;
  for (let done = 0; done < end; done += bytes) {
    if (ending === 'trickle') await Promise.race([time.passed(TRICKLE.pauseMs), whenStopped]);
    yield part.subarray(done, Math.min(done + bytes, end));
  }
  if (ending === 'long') yield Buffer.alloc(1);
  if (ending === 'cut') throw new Error('aborted');
  if (ending === 'stall') await whenStopped;
}

/** Rejects when the request or its response is given up. */
function ends(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    else signal.addEventListener('abort', () => reject(signal.reason));
  });
}
