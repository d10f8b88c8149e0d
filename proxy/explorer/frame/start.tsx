// The explorer: a page to browse the units of a release. This file starts it: session, sign-in, map, and the visit
// between sign-in and sign-out.
import { batch, effect } from '@preact/signals';
import { createRef, render } from 'preact';
import { type About, readAbout } from '../api/about.ts';
import { createClient } from '../api/client.ts';
import { Names } from '../api/names.ts';
import { drawMap } from '../map/draw-map.ts';
import type { UnitMap } from '../map/map.ts';
import { mapCovered } from '../map/stage.tsx';
import { NO_LINKED_TOKEN, NOT_ACCEPTED, REPLACE_TOKEN } from '../messages/messages.ts';
import { isPublicService } from '../sign-in/service.ts';
import { dropAddress, settleAddress, takeToken } from '../state/address.ts';
import { followReleases } from '../state/follow.ts';
import { focusHeading, page } from '../state/page.ts';
import { hashToLanguage, inLanguageOf } from '../state/place-hash.ts';
import { isToken, Session } from '../state/session.ts';
import { Visit } from '../state/visit.ts';
import { takeDrops } from '../table/table-tab.tsx';
import { Frame } from './frame.tsx';

/** Does the service serve everybody? Then there is no sign-in. */
const isPublic = isPublicService();
const session = new Session();
const base = document.baseURI.replace(/#.*$/, '');
const token = () => session.token;
const client = createClient({ base, token, onCurrent: followReleases(base, goOn) });
const names = new Names(
  client,
  token,
  () => hashToLanguage(location.hash),
  () => page.about.value?.release,
);
/** The map of the visit, and where it is drawn. */
let map: UnitMap | undefined;
const container = createRef<HTMLDivElement>();
/** What was begun last: it ends when another begins. */
let latest = new AbortController();
/** Files that are being saved: they end with the sign-out, not with the release. */
let saving = new AbortController();

if (!isPublic) session.restore();
const refusal = followLink();
if (!mayAsk()) page.signIn.value = { reason: refusal };
// They arrive while the page learns what the service is. What is wrong with them, the visit shows.
else names.load(0).catch(() => {});

takeDrops();
addEventListener('pagehide', settleAddress);
addEventListener('popstate', () => {
  dropAddress();
  const { token } = session;
  const refused = followLink();
  const visit = page.visit.value;
  if (refused !== '') signOut(refused);
  else if (session.token !== token) restart();
  else if (visit && inLanguageOf(location.hash, visit.about).lang !== visit.about.lang) begin(visit.about);
  else visit?.followAddress();
});

// Style sheets ask the body what is shown.
effect(() => {
  const { classList, dataset } = document.body;
  classList.toggle('signed-out', page.signIn.value !== undefined);
  classList.toggle('has-unit', page.visit.value?.shown.selected.value !== undefined);
  dataset['sheet'] = page.sheet.value;
});
render(<Frame map={container} onSignIn={signIn} onSignOut={() => signOut('')} />, document.body);
page.about.value = await readAbout(base);
document.title = page.about.value.title ?? document.title;
if (mayAsk()) void open();

/** Goes on with another release. */
function goOn(about: About): void {
  page.about.value = about;
  if (!mayAsk()) return;
  leave();
  void open();
}

function signIn(token: string, isKept: boolean): void {
  session.open(token, isKept);
  restart();
}

/** May the service be asked for data? */
function mayAsk(): boolean {
  return isPublic || session.token !== '';
}

/** Begins again with the token of the session. */
function restart(): void {
  end();
  void open(true);
}

/**
 * Takes the token of the address, if it has one; instead of a kept one only if the user agrees.
 * @returns why it is not taken; otherwise empty
 */
function followLink(): string {
  const token = takeToken();
  if (isPublic || token === undefined) return '';
  if (!isToken(token)) return session.token === '' ? NO_LINKED_TOKEN : '';
  if (token === session.token) return '';
  if (!session.isKept || confirm(REPLACE_TOKEN)) session.open(token, false);
  return '';
}

/**
 * Begins to show the data.
 * @param hasFocus shall its heading get the focus?
 */
async function open(hasFocus = false): Promise<void> {
  page.signIn.value = undefined;
  const { signal } = latest;
  // The service had no release, or could not be reached, when the page was opened.
  const known = page.about.value;
  const about = known?.release === undefined ? await readAbout(base, 'no-cache') : known;
  page.about.value = about;
  const started = await startMap(about, signal);
  if (signal.aborted) return started?.remove();
  map = started;
  begin(about);
  // The panel is drawn first.
  if (hasFocus) requestAnimationFrame(focusHeading);
}

/** Shows the place of the address, in its language. */
function begin(about: About): void {
  page.visit.value?.end();
  const visit = new Visit({
    client,
    names,
    about: inLanguageOf(location.hash, about),
    map,
    saving: saving.signal,
    onUnauthorized: () => signOut(NOT_ACCEPTED),
    onRetry: () => (about.release === undefined ? restart() : visit.retry()),
  });
  page.visit.value = visit;
  void visit.start();
}

/** Ends what is shown, which stays on the page until something else is. */
function leave(): void {
  latest.abort();
  latest = new AbortController();
  page.visit.value?.end();
  map?.remove();
  map = undefined;
  page.mapNote.value = '';
}

/** Forgets what is shown. */
function end(): void {
  saving.abort();
  saving = new AbortController();
  leave();
  batch(() => {
    page.visit.value = undefined;
    page.message.value = undefined;
    page.tab.value = 'browse';
    page.isAllSeen.value = true;
    page.drawn.value = [];
    page.said.value = '';
  });
}

/** @param reason empty where the user asked for it */
function signOut(reason: string): void {
  settleAddress();
  end();
  session.close();
  page.signIn.value = { reason };
}

/** The map; where there is none the panels work without. */
function startMap(about: About, signal: AbortSignal): Promise<UnitMap | undefined> {
  const visit = () => page.visit.value;
  return drawMap(container.current, about, client, signal, {
    titleOf: (level, fid) => visit()?.titleOf(level, fid),
    onPick: (picked) => visit()?.pick(picked),
    onHere: (point) => void visit()?.tellHere(point),
    onView: (view) => visit()?.look(view),
    onError: (error) => visit()?.fail(error),
    covered: mapCovered,
  });
}
