// The worker with the names of all levels: keeps loading and indexing off the page's thread. api/names.js talks to it.
import { NameLevels } from './name-levels.js';

/**
 * @typedef {{ id: number, base: string, token: string }} Envelope
 * @typedef {{ method: 'load', level: number }
 *   | { method: 'children', level: number, of: number, gid: string | undefined }
 *   | { method: 'types', level: number, of: number, gid: string }
 *   | { method: 'findAll', level: number, gids: string[] }
 *   | { method: 'find' | 'lineage', level: number, gid: string }} Call
 */

/** @type {NameLevels | undefined} */
let names;

addEventListener('message', async (/** @type {MessageEvent<Envelope & Call>} */ { data }) => {
  names ??= new NameLevels(data.base);
  try {
    postMessage({ id: data.id, result: await answer(names, data) });
  } catch (error) {
    const { message, status = 0, code = '' } = /** @type {import('../api/client.js').RefusalError} */ (error);
    postMessage({ id: data.id, problem: { status, code, detail: message } });
  }
});

/**
 * @param {NameLevels} levels
 * @param {Envelope & Call} call
 */
async function answer(levels, call) {
  const access = { token: call.token, onProgress };
  switch (call.method) {
    case 'load':
      return { release: (await levels.load(call.level, access)).release };
    case 'children':
      return levels.children(call, access);
    case 'types':
      return levels.types(call, access);
    case 'find':
      return levels.find(call.level, call.gid, access);
    case 'findAll':
      return levels.findAll(call.level, call.gids, access);
    case 'lineage':
      return levels.lineage(call.level, call.gid, access);
  }
}

/** @param {import('./load-names.js').Progress} progress */
function onProgress(progress) {
  postMessage({ progress });
}
