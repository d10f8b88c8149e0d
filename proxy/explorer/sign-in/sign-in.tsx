// Sign-in: one field for a token, shown while the page has none.
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { LinkedText } from '../controls/linked-text.tsx';
import { NO_TOKEN } from '../messages/messages.ts';
import { page } from '../state/page.ts';
import { isToken } from '../state/session.ts';
import { issuersOfService, signInHelp } from './service.ts';

export function SignIn({ onSignIn }: { onSignIn: (token: string, isKept: boolean) => void }) {
  const field = useRef<HTMLInputElement>(null);
  const keep = useRef<HTMLInputElement>(null);
  const fault = useSignal('');
  const given = page.signIn.value;
  const reason = fault.value || (given?.reason ?? '');
  // Each time that somebody is asked.
  useEffect(() => {
    fault.value = '';
    field.current?.focus();
  }, [given, fault]);
  const submit = (event: Event) => {
    event.preventDefault();
    const token = field.current?.value.trim() ?? '';
    if (isToken(token)) return onSignIn(token, keep.current?.checked ?? false);
    fault.value = token === '' ? 'Paste a token first.' : NO_TOKEN;
    field.current?.focus();
  };
  return (
    <form id="sign-in" class="sign-in" noValidate onSubmit={submit}>
      <h2>Open {page.about.value?.title ?? 'the boundaries'}</h2>
      <p>
        You need a token of this service. <TokenSource issuers={issuersOfService()} help={signInHelp()} />
      </p>
      <p id="sign-in-reason" class="reason" role="alert">
        {reason}
      </p>
      <div class="field">
        <label for="token">Token</label>
        <input
          ref={field}
          id="token"
          type="password"
          autocomplete="off"
          autocapitalize="off"
          spellcheck={false}
          aria-describedby="sign-in-reason token-note"
          aria-invalid={reason !== ''}
        />
      </div>
      <label class="check">
        <input ref={keep} id="keep" type="checkbox" />
        Keep me signed in for this session
      </label>
      <button type="submit" class="primary">
        Open
      </button>
      <p id="token-note" class="note">
        The token stays in this page. If you stay signed in, it stays until you close this tab.
      </p>
    </form>
  );
}

/** Who gives tokens: in the words of the service, else its issuers. Without either it is one of a developer. */
function TokenSource({ issuers, help }: { issuers: readonly string[]; help: string }) {
  if (help !== '') return <LinkedText text={help} />;
  if (issuers.length === 0)
    return (
      <>
        In development, <code>npm start</code> prints a link with one.
      </>
    );
  return (
    <>
      Get one from{' '}
      {issuers.map((issuer, i) => (
        <span key={issuer}>
          {i === 0 ? '' : ', '}
          <code>{issuer}</code>
        </span>
      ))}
      , or ask the people who run this service.
    </>
  );
}
