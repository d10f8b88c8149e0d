// The explorer: a page to browse the units of a release and to try its interface. This file starts it: session,
// sign-in, map, and the workspace between sign-in and sign-out.
import { readAbout } from './api/about.js';
import { createClient, toRefusal } from './api/client.js';
import { Names } from './api/names.js';
import { readTiles } from './api/tiles.js';
import { createMap } from './map/map.js';
import { isPublicService, part } from './panels/elements.js';
import { mapCovered, showAbout, showMapNote, wireLayout } from './panels/layout.js';
import { NO_LINKED_TOKEN, NO_TILES, NOT_ACCEPTED, REPLACE_TOKEN } from './panels/messages.js';
import { hideSignIn, showSignIn, wireSignIn } from './panels/sign-in.js';
import { takeToken } from './state/address.js';
import { levelsWithUnits } from './state/place.js';
import { isToken, Session } from './state/session.js';
import { Workspace } from './workspace.js';

/** Does the service serve everybody? Then there is no sign-in. */
const isPublic = isPublicService();
const session = new Session();
const base = document.baseURI.replace(/#.*$/, '');
const access = { base, token: () => session.token };
const client = createClient(access);
const names = new Names(client, access.token);
/** @type {Workspace | undefined} */
let workspace;
/** The map of the workspace. @type {import('./map/map.js').UnitMap | undefined} */
let map;
/** What was begun last: it ends when another begins. */
let latest = new AbortController();

wireSignIn(signIn);
part('sign-out').addEventListener('click', () => signOut(''));
if (!isPublic) session.restore();
const refusal = followLink();
if (!mayAsk()) showSignIn(refusal);
// They arrive while the page learns what the service is. What is wrong with them, the workspace shows.
else names.load(0).catch(() => {});

addEventListener('popstate', () => {
  const { token } = session;
  const refused = followLink();
  if (refused !== '') signOut(refused);
  else if (session.token === token) workspace?.followAddress();
  else restart();
});

wireLayout();
let about = await readAbout(base);
showAbout(about);
if (mayAsk()) void open();

/**
 * @param {string} token
 * @param {boolean} isKept
 */
function signIn(token, isKept) {
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
 * @returns {string} why it is not taken; otherwise empty
 */
function followLink() {
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
  if (about.release === undefined) {
    about = await readAbout(base);
    showAbout(about);
  }
  const started = await startMap(signal);
  if (signal.aborted) return started?.remove();
  map = started;
  workspace = new Workspace({
    client,
    names,
    about,
    map,
    onUnauthorized: () => signOut(NOT_ACCEPTED),
    onRetry: () => (about.release === undefined ? restart() : workspace?.retry()),
  });
  void workspace.start();
}

/** Forgets what is shown. */
function end() {
  latest.abort();
  latest = new AbortController();
  workspace?.end();
  workspace = undefined;
  map?.remove();
  map = undefined;
  showMapNote('');
}

/** @param {string} reason empty where the user asked for it */
function signOut(reason) {
  end();
  session.close();
  showSignIn(reason);
}

/**
 * The map; where there is none the panels work without.
 * @param {AbortSignal} signal
 * @returns {Promise<import('./map/map.js').UnitMap | undefined>}
 */
async function startMap(signal) {
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
      onError: async (error) => workspace?.fail(await toRefusal(error)),
      covered: mapCovered,
    });
  } catch (error) {
    part('no-map').hidden = false;
    part('no-map-reason').textContent = error instanceof Error ? error.message : String(error);
    return undefined;
  }
}
