// Sign-in: one field for a token, shown while the page has none.
import { isToken } from '../state/session.ts';
import { issuersOfService, make, part, signInHelp } from './elements.ts';
import { withLinks } from './layout.ts';
import { NO_TOKEN } from './messages.ts';

export function wireSignIn(onSignIn: (token: string, isKept: boolean) => void) {
  part('token-source').replaceChildren(...tokenSource(issuersOfService(), signInHelp()));
  part('sign-in', HTMLFormElement).addEventListener('submit', (event) => {
    event.preventDefault();
    const field = part('token', HTMLInputElement);
    const token = field.value.trim();
    if (!isToken(token)) {
      showReason(token === '' ? 'Paste a token first.' : NO_TOKEN);
      field.focus();
      return;
    }
    onSignIn(token, part('keep', HTMLInputElement).checked);
  });
}

/**
 * Shows the sign-in instead of the panels.
 * @param reason empty for none
 */
export function showSignIn(reason: string) {
  part('sign-in').hidden = false;
  part('workspace').hidden = true;
  part('sign-out').hidden = true;
  document.body.classList.add('signed-out');
  showReason(reason);
  part('token').focus();
}

/**
 * Shows the panels instead of the sign-in, which forgets what was typed.
 * @param isPublic a public service has nothing to sign out of
 */
export function hideSignIn(isPublic: boolean) {
  part('token', HTMLInputElement).value = '';
  part('sign-in').hidden = true;
  part('workspace').hidden = false;
  part('sign-out').hidden = isPublic;
  document.body.classList.remove('signed-out');
  showReason('');
}

/** Who gives tokens: in the words of the service, else its issuers. Without either it is one of a developer. */
function tokenSource(issuers: readonly string[], help: string) {
  if (help !== '') return withLinks(help);
  if (issuers.length === 0) return ['In development, ', make('code', '', 'npm start'), ' prints a link with one.'];
  const names = issuers.flatMap((issuer, i) => [i === 0 ? '' : ', ', make('code', '', issuer)]);
  return ['Get one from ', ...names, ', or ask the people who run this service.'];
}

function showReason(reason: string) {
  part('sign-in-reason').textContent = reason;
  part('token').toggleAttribute('aria-invalid', reason !== '');
}
