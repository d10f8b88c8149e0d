// The map, with what lies upon it, and whose data it shows.
import type { ComponentChildren, RefObject } from 'preact';
import { useLayoutEffect } from 'preact/hooks';
import { LinkedText, OuterLink } from '../controls/linked-text.tsx';
import { page } from '../state/page.ts';

/**
 * @param props.map where the library draws
 * @param props.children lie upon it
 */
export function Stage({ map, children }: { map: RefObject<HTMLDivElement | null>; children: ComponentChildren }) {
  return (
    <section class="stage" aria-label="Map">
      <div id="map" class="map" ref={map} />
      {children}
      <p id="map-note" class="map-note" hidden={page.mapNote.value === ''}>
        {page.mapNote}
      </p>
      <div id="no-map" class="no-map" hidden={page.noMap.value === ''}>
        <h2>No map</h2>
        <p id="no-map-reason">{page.noMap}</p>
        <p>The list, search, facts, downloads and requests of the explorer work without it.</p>
      </div>
      <MapLegend />
      <Credits />
    </section>
  );
}

export function MapButtons() {
  const visit = page.visit.value;
  useLayoutEffect(() => visit?.makeRoom());
  return (
    <div id="map-buttons" class="map-buttons">
      <button id="list-seen" type="button" onClick={() => visit?.listSeen()}>
        List what is on the screen
      </button>
      <button id="show-all" type="button" hidden={page.isAllSeen.value} onClick={() => visit?.showAll()}>
        Show all of {visit?.title}
      </button>
    </div>
  );
}

/** Pixels at the upper edge of the map that buttons lie upon. */
export function mapCovered(): number {
  const buttons = document.getElementById('map-buttons');
  return buttons === null ? 0 : buttons.offsetTop + buttons.offsetHeight;
}

/** Said where the colours of the map mean nothing else. */
const LEGEND = 'Colours only tell neighbours apart.';

/** What the colours mean, where they mean something. */
function MapLegend() {
  const legend = page.legend.value;
  if (legend === undefined) return null;
  return (
    <div class="legend-place">
      <figure class="legend">
        <figcaption>{legend.title}</figcaption>
        <ul>
          {legend.entries.map(({ colour, text, stripes }, i) => (
            <li key={i}>
              <span
                class={`swatch ${stripes === undefined ? '' : 'striped'}`}
                style={{ '--swatch': colour, '--stripes': stripes }}
              />
              <span>{text}</span>
            </li>
          ))}
        </ul>
      </figure>
    </div>
  );
}

/** Whose data is shown: the sources of the levels that are on the map or in the list. */
function Credits() {
  const about = page.about.value;
  if (about === undefined) return null;
  const { release, date, licence, attribution, levels } = about;
  const ofLevels = page.drawn.value.flatMap((level) => levels[level]?.attribution ?? []);
  const texts = [...new Set(ofLevels.length > 0 ? ofLevels : attribution)];
  return (
    <p id="credits" class="credits">
      {texts.map((text) => (
        <span key={text}>
          <LinkedText text={text} />
        </span>
      ))}
      {licence !== undefined && (
        <span>
          Licence: <Licence name={licence} />
        </span>
      )}
      {date !== undefined && <span>{`Release ${release}, ${date}`}</span>}
      <span>
        Map: <OuterLink href="https://maplibre.org">MapLibre</OuterLink>
      </span>
      {page.legend.value === undefined && <span>{LEGEND}</span>}
    </p>
  );
}

/**
 * A link to its text, if the release says where that is: as in features/ogc/collection.ts.
 * @param props.name an SPDX identifier or an address
 */
function Licence({ name }: { name: string }) {
  if (name.startsWith('LicenseRef-')) return <>{name}</>;
  return <OuterLink href={URL.canParse(name) ? name : `https://spdx.org/licenses/${name}.html`}>{name}</OuterLink>;
}
