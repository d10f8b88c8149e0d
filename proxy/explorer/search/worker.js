// The worker with the names of all levels: keeps loading and searching off the page's thread. api/names.js talks to it.
import { NameLevels } from './name-levels.js';

/**
 * @typedef {{ id: number, base: string, token: string }} Envelope
 * @typedef {{ method: 'load', level: number }
 *   | { method: 'search', text: string, levels: number[], limit: number }
 *   | { method: 'children', level: number, of: number, gid: string | undefined }
 *   | { method: 'types', level: number, of: number, gid: string }
 *   | { method: 'findAll', level: number, gids: string[] }
 *   | { method: 'find' | 'lineage', level: number, gid: string }} Call
 */

/** @type {NameLevels | undefined} */
let names;
let newestSearch = 0;

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
    case 'search':
      newestSearch = call.id;
      return search(levels, call, access);
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

/**
 * @param {NameLevels} levels
 * @param {Envelope & Extract<Call, { method: 'search' }>} call
 * @param {import('./name-levels.js').Access} access
 */
async function search(levels, call, access) {
  const { id, text, limit } = call;
  const wanted = call.levels.toSorted((a, b) => a - b);
  let isLoaded = false;
  const load = async () => {
    await levels.load(wanted.at(-1) ?? 0, access);
    isLoaded = true;
  };
  // The lowest levels are the largest. Until they are there, what is found at the others is worth showing.
  const showPartial = async () => {
    for (const [i, level] of wanted.entries()) {
      await levels.load(level, access);
      if (isLoaded || newestSearch !== id) return;
      const partial = await levels.search(text, { levels: wanted.slice(0, i + 1), limit }, access);
      postMessage({ id, partial });
    }
  };
  await Promise.all([load(), showPartial()]);
  await othersFirst();
  return newestSearch === id ? levels.search(text, call, access) : undefined;
}

/** Lets the messages in that are waiting: a newer search among them makes this one needless. */
function othersFirst() {
  return new Promise((resolve) => {
    setTimeout(resolve);
  });
}

/** @param {import('./load-names.js').Progress} progress */
function onProgress(progress) {
  postMessage({ progress });
}
