// The page at /embed: the map alone, for frames of other sites, with its credits and a link to the explorer at the same
// place. It knows no token: neither one of an address nor one that the browser keeps.
import { signal } from '@preact/signals';
import { createRef, render } from 'preact';
import { type About, readAbout } from '../api/about.ts';
import { createClient } from '../api/client.ts';
import { Names } from '../api/names.ts';
import { textToBox } from '../api/page-request.ts';
import { readTree } from '../api/tree.ts';
import { titleOf } from '../api/unit.ts';
import { OuterLink } from '../controls/linked-text.tsx';
import { drawMap } from '../map/draw-map.ts';
import { type Box, unionOf } from '../map/geometry/box.ts';
import type { UnitMap } from '../map/map.ts';
import { Stage } from '../map/stage.tsx';
import { NO_RELEASE, unknownMessage } from '../messages/messages.ts';
import { followReleases } from '../state/follow.ts';
import { page } from '../state/page.ts';
import { gidsFromBelow, isWorld, type Place, placeOf } from '../state/place.ts';
import { hashToPlace, inLanguageOf, placeToHash } from '../state/place-hash.ts';

const base = document.baseURI.replace(/#.*$/, '');
const client = createClient({ base, token: () => '', onCurrent: followReleases(base, (about) => void begin(about)) });
const names = new Names(
  client,
  () => '',
  () => '',
  () => page.about.value?.release,
);
const container = createRef<HTMLDivElement>();
/** What is shown. */
const shown = signal<Place | undefined>(undefined);
const title = signal('Map');
const fault = signal('');
let map: UnitMap | undefined;
/** Ends the map before. */
let begun = new AbortController();
/** Ends what was asked for the place before. */
let latest = new AbortController();

dropOthers();
render(<Embed />, document.body);
addEventListener('hashchange', () => {
  dropOthers();
  const about = page.about.value && inLanguageOf(location.hash, page.about.value);
  page.about.value = about;
  if (about?.release !== undefined) void show(hashToPlace(location.hash, about.levels), about);
});
await begin(await readAbout(base));

/**
 * Draws the map of a release: at the place that is shown, or else that of the address.
 * @param told what the service says of itself
 */
async function begin(told: About): Promise<void> {
  begun.abort();
  begun = new AbortController();
  const { signal } = begun;
  const about = inLanguageOf(location.hash, told);
  page.about.value = about;
  if (about.release === undefined) {
    fail(NO_RELEASE);
    return;
  }
  const before = shown.value;
  shown.value = undefined;
  fault.value = '';
  latest.abort();
  names.close();
  map?.remove();
  map = undefined;
  const drawn = await drawMap(container.current, about, client, signal, {
    titleOf: () => undefined,
    onPick(picked) {
      map?.select(picked);
      shown.value = { ...placeOf(picked, about.levels), view: shown.value?.view };
    },
    onHere() {},
    onView(view) {
      if (shown.value !== undefined) shown.value = { ...shown.value, view };
    },
    onError: fail,
    covered: () => 0,
    isFramed: window.top !== window,
  });
  if (signal.aborted) return drawn?.remove();
  map = drawn;
  await show(shown.value ?? before ?? hashToPlace(location.hash, about.levels), page.about.value);
}

/** Asks again for what is shown, or for the release where there was none. */
async function tryAgain(): Promise<void> {
  const about = page.about.value;
  if (about?.release === undefined) await begin(await readAbout(base, 'no-cache'));
  else if (shown.value !== undefined) await show(shown.value, about);
}

function Embed() {
  const place = shown.value;
  const about = page.about.value;
  return (
    <main>
      <h1 class="unseen">{title}</h1>
      <Stage map={container}>
        <p class="to-explorer">
          <OuterLink href={`./${place && about ? placeToHash(place, about) : ''}`}>Open in the explorer</OuterLink>
        </p>
        <p class="fault" role="alert" hidden={fault.value === ''}>
          {fault}{' '}
          <button type="button" class="link" onClick={() => void tryAgain()}>
            Try again
          </button>
        </p>
      </Stage>
    </main>
  );
}

/** Takes out of the address what is no place, unread: it may be a token. */
function dropOthers(): void {
  if (!location.hash.startsWith('#lv')) history.replaceState(null, '', base);
}

/** Shows a place: where its address has no view of the map, all of it. */
async function show(place: Place, about: About): Promise<void> {
  latest.abort();
  latest = new AbortController();
  const { signal } = latest;
  const isWhole = isWorld(place, about.levels);
  const asked = textToBox(place.bbox);
  shown.value = place;
  fault.value = '';
  map?.select(undefined);
  map?.speak(about.lang);
  map?.outline(asked);
  map?.show({ ...place, isWhole });
  if (place.view !== undefined) map?.setView(place.view);
  map?.askAgain(true);
  try {
    const [unit, whole] = await Promise.all([readUnit(place, about, signal), isWhole ? boxesOf(place.level) : []]);
    if (signal.aborted) return;
    title.value = unit?.title ?? about.title ?? about.release ?? '';
    document.title = title.value;
    if (isWhole) map?.frame(whole);
    const fid = place.unit === undefined ? place.fid : unit?.fid;
    map?.select(fid === undefined ? undefined : { level: place.level, fid });
    const box = asked ?? unit?.view;
    if (place.view === undefined) map?.fit(box === undefined ? whole : [box]);
  } catch (error) {
    if (!signal.aborted) fail(error);
  }
}

/** The unit whose GID a place selects, else the one that it is inside of. */
async function readUnit(place: Place, about: About, signal: AbortSignal) {
  const [named] = place.unit === undefined ? gidsFromBelow(place) : [{ level: place.level, gid: place.unit }];
  if (named === undefined) return undefined;
  const { own, lineage } = (await readTree({ client, about }, named, 1, signal)) ?? {};
  if (lineage === undefined) throw new Error(unknownMessage(named.gid).detail);
  return { ...own, title: titleOf({ ...named, name: null, ...lineage.at(-1) }) };
}

/** The box of the units of a level, without their far islands; none of a level without geometries. */
async function boxesOf(level: number): Promise<Box[]> {
  const units = (await names.load(level))[level]?.units ?? [];
  const box = unionOf(units.flatMap(({ view }) => (view === undefined ? [] : [view])));
  return box === undefined ? [] : [box];
}

function fail(error: unknown): void {
  fault.value = error instanceof Error ? error.message : String(error);
}
