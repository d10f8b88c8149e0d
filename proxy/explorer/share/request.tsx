// The Request tab: the request for what is shown, a program that walks all of its pages, and the map for another page.
import { useSignal } from '@preact/signals';
import { CopyButton } from '../controls/copy.tsx';
import { isPublicService } from '../sign-in/service.ts';
import { page } from '../state/page.ts';
import type { Visit } from '../state/visit.ts';
import { codeFor, LANGUAGES, type Sample } from './code-samples.ts';
import { mapSamples } from './map-samples.ts';

export function RequestTab({ visit }: { visit: Visit }) {
  const { about, client, shown, title } = visit;
  const { url } = shown;
  const isPublic = isPublicService();
  const programs = LANGUAGES.map(({ id, title }) => ({ id, title, code: codeFor(id, url, isPublic) }));
  const place = shown.place.value;
  const firstZoom = page.firstZooms.value[place.level] ?? 0;
  const map = { about, place, title, firstZoom, api: client.urlOf(''), isPublic };
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
      <Code id="code" heading="Code" choice="Language" samples={programs} />
      {about.tiles && <Code id="map-code" heading="Use this map" choice="Kind" samples={mapSamples(map)} />}
    </>
  );
}

function Code({ id, heading, choice, samples }: { id: string; heading: string; choice: string; samples: Sample[] }) {
  const chosen = useSignal('');
  const { code } = samples.find((sample) => sample.id === chosen.value) ?? samples[0] ?? { code: '' };
  return (
    <section class="code" aria-labelledby={`${id}-heading`}>
      <div class="bar">
        <h3 id={`${id}-heading`} tabIndex={-1}>
          {heading}
        </h3>
        <select
          aria-label={choice}
          hidden={samples.length === 1}
          onChange={({ currentTarget }) => {
            chosen.value = currentTarget.value;
          }}
        >
          {samples.map(({ id, title }) => (
            <option key={id} value={id}>
              {title}
            </option>
          ))}
        </select>
        <span id={`${id}-actions`}>
          <CopyButton text="Copy" content={() => code} />
        </span>
      </div>
      <pre>
        <code id={id}>{code}</code>
      </pre>
    </section>
  );
}
