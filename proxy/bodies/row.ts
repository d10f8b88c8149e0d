// What stands between the core and the capabilities: a row is a path and what answers it.

import type { Releases } from '../data/hosted-releases.ts';
import type { Turns } from '../http/guards.ts';
import type { HttpRequest } from '../http/request.ts';
import type { QueuedReads } from '../origin/origin.ts';
import type { Answer, Representation } from './answer.ts';
import type { Audience } from './headers.ts';

/** Where answers come from. */
export interface Sources {
  /** Decided when the service is assembled. */
  audience: Audience;
  releases: Releases;
  turns: Turns;
  /** Of what must be read for an answer before its body is. */
  reads: QueuedReads;
  /** What the service is called, if that is configured. */
  title?: string | undefined;
  /** Are there the explorer and /docs? Not if it is left out. */
  hasExplorer?: boolean;
}

/** How the answer is to be. */
export type View = Pick<Representation, 'base' | 'coding'>;

/** A path of the API. */
export interface Row {
  /** As in the request; of one feature up to its fid. */
  readonly path: string;
  /**
   * The answer, whose body is not read yet.
   * @throws Problem, OriginError, FormatError
   */
  answer(sources: Sources, request: HttpRequest, view: View): Answer | Promise<Answer>;
}

/** The rows of the API. */
export interface Rows {
  /** The row of a request path. A path is looked up byte by byte: it is not decoded, joined or normalised. */
  of(path: string): Row | undefined;
  readonly all: readonly Row[];
  /** The paths, for messages. */
  readonly rule: string;
}

/** A path that needs no token. */
export interface PublicRow {
  /** The path, or a label for a kind of path. */
  readonly path: string;
  /** Is it a health check? */
  readonly isProbe?: true;
  /** @throws Problem */
  answer(request: HttpRequest): Answer | Promise<Answer>;
}

/** The rows that need no token, by path. */
export type PublicRows = ReadonlyMap<string, PublicRow>;
