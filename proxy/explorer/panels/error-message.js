// What to say to a person whose request was refused, by status. The service's own words stand below it.
import { RefusalError } from '../request/client.js';
import { part, showAnswer, showMessage } from './panels.js';

/**
 * Shows why there is no page.
 * @param {unknown} error
 * @param {() => void} again begins the walk anew
 */
export function showRefusal(error, again) {
  if (!(error instanceof RefusalError)) {
    showMessage({ kind: 'error', title: 'The answer could not be read', detail: String(error) });
    throw error;
  }
  const { remedy, ...message } = explain(error);
  if (error.status > 0) showAnswer([['Status', String(error.status)]]);
  showMessage({ kind: 'error', ...message }, remedy === 'restart' ? { label: 'Begin again', run: again } : undefined);
  if (remedy === 'token') part('token').focus();
}

/**
 * What to say of an empty page.
 * @param {import('../request/page-request.js').Ask} ask
 * @returns {{ kind: 'idle', title: string, detail: string }}
 */
export function nothing({ filters }) {
  const detail = filters.size > 0 ? 'No GID like that, or nothing below it at this level.' : 'This level is empty.';
  return { kind: 'idle', title: 'No unit matches', detail };
}

/**
 * The message, and whether it is the token that must change or the walk that must begin anew.
 * @param {RefusalError} refusal
 * @returns {{ title: string, detail: string, code: string, remedy: 'token' | 'restart' | 'none' }}
 */
function explain({ status, code, message }) {
  const said = { detail: message, code: status === 0 ? '' : `${status} ${code}`.trim() };
  if (code === 'token-missing')
    return {
      ...said,
      title: 'A token is needed',
      detail: 'Paste one at the top. For development, serve --dev prints one when it starts.',
      remedy: 'token',
    };
  if (status === 401)
    return {
      ...said,
      title: 'This token is not accepted',
      detail: 'It has expired, is damaged, or is meant for another service. Paste a fresh one at the top.',
      remedy: 'token',
    };
  if (status === 403) return { ...said, title: 'This token does not allow it', remedy: 'token' };
  if (status === 410)
    return {
      ...said,
      title: 'The release of this walk is gone',
      detail: 'A newer one has taken its place, so this walk cannot be finished. Begin again to walk the new one.',
      remedy: 'restart',
    };
  if (status === 0)
    return { ...said, title: 'No answer', detail: `${message} Is it running? Is there a network?`, remedy: 'none' };
  if (status < 500) return { ...said, title: 'The request needs a change', remedy: 'none' };
  return { ...said, title: 'The service has a fault', remedy: 'none' };
}
