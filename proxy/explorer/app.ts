// The explorer: a page to browse the units of a release and to try its interface. This file starts it: session,
// sign-in, map, and the workspace between sign-in and sign-out.
import { type About, readAbout } from './api/about.ts';
import { createClient } from './api/client.ts';
import { Names } from './api/names.ts';
import { readTiles } from './api/tiles.ts';
import { createMap, type UnitMap } from './map/map.ts';
import { isPublicService, part } from './panels/elements.ts';
import { mapCovered, showAbout, showCredits, showMapNote, wireLayout } from './panels/layout.ts';
import { NO_LINKED_TOKEN, NO_TILES, NOT_ACCEPTED, REPLACE_TOKEN } from './panels/messages.ts';
import { hideSignIn, showSignIn, wireSignIn } from './panels/sign-in.ts';
import { dropAddress, settleAddress, takeToken } from './state/address.ts';
import { levelsWithUnits } from './state/place.ts';
import { isToken, Session } from './state/session.ts';
import { Workspace } from './workspace.ts';

/** Does the service serve everybody? Then there is no sign-in. */
const isPublic = isPublicService();
const session = new Session();
const base = document.baseURI.replace(/#.*$/, '');
const token = () => session.token;
const client = createClient({ base, token, onCurrent: (release) => void follow(release) });
const names = new Names(client, token);
/** How long the page goes by what the service said of itself, even if answers are of another release. */
const KNOWN_MS = 30_000;
let readAgainAt = Number.NEGATIVE_INFINITY;
let workspace: Workspace | undefined;
/** The map of the workspace. */
let map: UnitMap | undefined;
/** What was begun last: it ends when another begins. */
let latest = new AbortController();
/** Files that are being saved: they end with the visit, not with the release. */
let visit = new AbortController();
/** What the service says of itself, once it has. */
let known: About | undefined;

wireSignIn(signIn);
part('sign-out').addEventListener('click', () => signOut(''));
if (!isPublic) session.restore();
const refusal = followLink();
if (!mayAsk()) showSignIn(refusal);
// They arrive while the page learns what the service is. What is wrong with them, the workspace shows.
else names.load(0).catch(() => {});

addEventListener('pagehide', settleAddress);
addEventListener('popstate', () => {
  dropAddress();
  const { token } = session;
  const refused = followLink();
  if (refused !== '') signOut(refused);
  else if (session.token === token) workspace?.followAddress();
  else restart();
});

wireLayout();
learn(await readAbout(base));
if (mayAsk()) void open();

function learn(about: About) {
  known = about;
  showAbout(about);
  showCredits(about, []);
  return about;
}

/**
 * Goes on with another release, if answers are of it and the service says so, too: of several proxies one may be late.
 * @param release of an answer
 */
async function follow(release: string) {
  const { release: shown } = known ?? {};
  if (shown === undefined || release === shown || performance.now() - readAgainAt < KNOWN_MS) return;
  readAgainAt = performance.now();
  const about = await readAbout(base, 'no-cache');
  if (about.release === undefined || about.release === shown) return;
  learn(about);
  if (!mayAsk()) return;
  leave();
  await open();
}

function signIn(token: string, isKept: boolean) {
  session.open(token, isKept);
  restart();
}

/** May the service be asked for data? */
function mayAsk() {
  return isPublic || session.token !== '';
}

/** Begins again with the token of the session. */
function restart() {
  end();
  void open();
  part('heading').focus({ preventScroll: true });
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

/** Begins to show the data. */
async function open() {
  hideSignIn(isPublic);
  const { signal } = latest;
  // The service had no release, or could not be reached, when the page was opened.
  const about = known?.release === undefined ? learn(await readAbout(base)) : known;
  const started = await startMap(about, signal);
  if (signal.aborted) return started?.remove();
  map = started;
  workspace = new Workspace({
    client,
    names,
    about,
    map,
    visit: visit.signal,
    onUnauthorized: () => signOut(NOT_ACCEPTED),
    onRetry: () => (about.release === undefined ? restart() : workspace?.retry()),
  });
  void workspace.start();
}

/** Ends what is shown, which stays on the page until something else is. */
function leave() {
  latest.abort();
  latest = new AbortController();
  workspace?.end();
  workspace = undefined;
  map?.remove();
  map = undefined;
  showMapNote('');
}

/** Forgets what is shown. */
function end() {
  visit.abort();
  visit = new AbortController();
  const left = workspace;
  leave();
  left?.clear();
}

/** @param reason empty where the user asked for it */
function signOut(reason: string) {
  settleAddress();
  end();
  session.close();
  showSignIn(reason);
}

/** The map; where there is none the panels work without. */
async function startMap(about: About, signal: AbortSignal): Promise<UnitMap | undefined> {
  part('no-map').hidden = true;
  try {
    if (!about.tiles) throw new Error(NO_TILES);
    return await createMap(part('map'), {
      levels: levelsWithUnits(about.levels),
      tilesOf: (level) => readTiles(level, client, signal),
      headersFor: client.headersFor,
      titleOf: (level, fid) => workspace?.titleOf(level, fid),
      onPick: (picked) => void workspace?.pick(picked),
      onHere: (point) => void workspace?.tellHere(point),
      onView: (view) => workspace?.look(view),
      onNote: showMapNote,
      onLevels: (drawn) => showCredits(about, drawn),
      onError: (error) => workspace?.fail(error),
      covered: mapCovered,
    });
  } catch (error) {
    part('no-map').hidden = false;
    part('no-map-reason').textContent = error instanceof Error ? error.message : String(error);
    return undefined;
  }
}
