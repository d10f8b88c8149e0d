// The Request tab: the request for what is shown, and a program that walks all of its pages.
import { useSignal } from '@preact/signals';
import { CopyButton } from '../controls/copy.tsx';
import { isPublicService } from '../sign-in/service.ts';
import type { Visit } from '../state/visit.ts';
import { codeFor, LANGUAGES } from './code-samples.ts';

export function RequestTab({ visit }: { visit: Visit }) {
  const language = useSignal(LANGUAGES[0]?.id ?? '');
  const { url } = visit.shown;
  const code = codeFor(language.value, url, isPublicService());
  return (
    <>
      <h2 id="request-heading" tabIndex={-1}>
        Request
      </h2>
      <div class="line">
        <b>GET</b>
        <code id="url">{url}</code>
        <span id="url-actions">
          <CopyButton text="Copy" content={() => url} />
        </span>
      </div>
      <section class="code" aria-labelledby="code-heading">
        <div class="bar">
          <h3 id="code-heading">Code</h3>
          <label class="unseen" for="language">
            Language
          </label>
          <select
            id="language"
            value={language.value}
            onChange={({ currentTarget }) => {
              language.value = currentTarget.value;
            }}
          >
            {LANGUAGES.map(({ id, title }) => (
              <option key={id} value={id}>
                {title}
              </option>
            ))}
          </select>
          <span id="code-actions">
            <CopyButton text="Copy" content={() => code} />
          </span>
        </div>
        <pre>
          <code id="code">{code}</code>
        </pre>
      </section>
    </>
  );
}
