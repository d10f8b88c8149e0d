// Fetches the names of a level and indexes them while they arrive. Used by the worker.
import { RefusalError, textToError } from '../api/client.js';
import { NameIndexBuilder } from './name-index.js';

/**
 * How far a level is.
 * @typedef {{ level: number, units: number, of: number }} Progress
 */

/**
 * @param {string} base URL of the service, with the slash at its end
 * @param {number} level
 * @param {{ token: string, onRelease: (release: string) => void, onProgress: (progress: Progress) => void }} options
 * @returns {Promise<{ index: import('./name-index.js').NameIndex, release: string }>}
 * @throws {RefusalError}
 */
export async function loadNames(base, level, { token, onRelease, onProgress }) {
  const headers = token === '' ? {} : { Authorization: `Bearer ${token}` };
  const response = await fetch(`${base}api/v1/names/lv${level}`, { headers }).catch(unreachable);
  if (!response.ok) throw textToError(response.status, await response.text().catch(unreachable));
  const release = response.headers.get('Boundaries-Release') ?? '';
  const of = Number(response.headers.get('Boundaries-Matched'));
  onRelease(release);
  const builder = new NameIndexBuilder(level);
  try {
    if (response.body === null) throw new SyntaxError('there are no names');
    const reader = response.body.getReader();
    for (;;) {
      const { done, value } = await reader.read().catch(unreachable);
      if (done) break;
      builder.add(value);
      onProgress({ level, units: builder.rows, of });
    }
    const index = builder.finish();
    if (index.length !== of) throw new SyntaxError(`the names are of ${index.length} units, expected ${of}`);
    onProgress({ level, units: of, of });
    return { index, release };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    const detail = `The names of lv${level} could not be read: ${error.message}.`;
    throw new RefusalError({ status: response.status, code: '', detail });
  }
}

/** @returns {never} */
function unreachable() {
  throw new RefusalError({ status: 0, code: '', detail: 'The service cannot be reached.' });
}
