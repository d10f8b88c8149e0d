// The names of the units: their parents and children, answered by a worker that loads them when they are first needed.
import { RefusalError } from './client.js';

/**
 * @typedef {import('./unit.js').NamedUnit} NamedUnit
 * @typedef {import('../names/load-names.js').Progress} Progress
 *
 * How many units have each type, the commonest first.
 * @typedef {[type: string | null, units: number][]} TypeCounts
 *
 * @typedef {object} Names every method loads what it needs, and rejects with a RefusalError where the service answers
 * with an error
 * @property {(place: { level: number, gid: string | undefined, of: number }) => Promise<{ total: number, units:
 * NamedUnit[] } | undefined>} children
 *   the units of `level` whose ancestor at level `of` has this GID, in order of fid, 10,000 at most; without a GID all;
 *   undefined where the names do not tell, because a parent is missing between
 * @property {(place: { level: number, gid: string, of: number }) => Promise<TypeCounts | undefined>} types of the same
 * units
 * @property {(level: number, gids: string[]) => Promise<(NamedUnit | undefined)[]>} findAll
 * @property {(level: number, gid: string) => Promise<NamedUnit | undefined>} find
 * @property {(level: number, gid: string) => Promise<NamedUnit[]>} lineage from the top down to the unit itself
 * @property {(level: number) => Promise<{ release: string }>} load the levels from 0 to this one
 * @property {(level: number) => Progress | undefined} progress of a level; undefined before it is loaded
 * @property {() => void} close ends the worker: what waits rejects with an AbortError. The next call loads again
 */

/**
 * @param {{ base: string, token: () => string, onProgress?: (progress: Progress) => void }} options `base`: URL of the
 *   service, with the slash at its end; `onProgress` is called as the units of a level arrive
 * @returns {Names}
 */
export function createNames({ base, token, onProgress }) {
  /** @type {Worker | undefined} */
  let worker;
  /** @type {Map<number, { resolve: (result: MessageEvent['data']) => void, reject: (reason: unknown) => void }>} */
  const calls = new Map();
  /** @type {Map<number, Progress>} */
  const progress = new Map();
  let lastId = 0;

  function startWorker() {
    const started = new Worker(new URL('../names/worker.js', import.meta.url), { type: 'module' });
    started.addEventListener('message', ({ data }) => {
      if (data.progress !== undefined) {
        progress.set(data.progress.level, data.progress);
        onProgress?.(data.progress);
        return;
      }
      const call = calls.get(data.id);
      calls.delete(data.id);
      if (data.problem === undefined) call?.resolve(data.result);
      else call?.reject(new RefusalError(data.problem));
    });
    started.addEventListener('error', () => {
      close(
        new RefusalError({ status: 0, code: '', detail: 'The names could not be loaded: the worker did not start.' }),
      );
    });
    return started;
  }

  /**
   * @template Result
   * @param {Record<string, unknown>} call
   * @returns {Promise<Result>}
   */
  function send(call) {
    worker ??= startWorker();
    lastId++;
    worker.postMessage({ ...call, id: lastId, base, token: token() });
    return new Promise((resolve, reject) => {
      calls.set(lastId, { resolve, reject });
    });
  }

  /** @param {unknown} reason */
  function close(reason = new DOMException('The names are closed.', 'AbortError')) {
    worker?.terminate();
    worker = undefined;
    for (const { reject } of calls.values()) reject(reason);
    calls.clear();
    progress.clear();
  }

  return {
    children: ({ level, gid, of }) => send({ method: 'children', level, gid, of }),
    types: ({ level, gid, of }) => send({ method: 'types', level, gid, of }),
    find: (level, gid) => send({ method: 'find', level, gid }),
    findAll: (level, gids) => send({ method: 'findAll', level, gids }),
    lineage: (level, gid) => send({ method: 'lineage', level, gid }),
    load: (level) => send({ method: 'load', level }),
    progress: (level) => progress.get(level),
    close: () => close(),
  };
}
