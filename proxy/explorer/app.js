// The explorer: a page to browse the units of a release and to try its interface. This file starts it: session,
// sign-in, map, and the workspace between sign-in and sign-out.
import { readAbout } from './api/about.js';
import { createClient } from './api/client.js';
import { Names } from './api/names.js';
import { createMap } from './map/map.js';
import { isPublicService, part } from './panels/elements.js';
import { mapCovered, showAbout, showShowAll, wireLayout } from './panels/layout.js';
import { NO_LINKED_TOKEN, NOT_ACCEPTED, REPLACE_TOKEN } from './panels/messages.js';
import { hideSignIn, showSignIn, wireSignIn } from './panels/sign-in.js';
import { takeToken } from './state/address.js';
import { noMap } from './state/no-map.js';
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
/** What was begun last. */
let latest = {};
/** Are the map and the description of the service there? */
let isReady = false;

wireSignIn(signIn);
part('sign-out').addEventListener('click', () => signOut(''));
if (!isPublic) session.restore();
const refusal = followLink();
if (!mayAsk()) showSignIn(refusal);
else begin();

addEventListener('popstate', () => {
  const { token } = session;
  const refused = followLink();
  if (refused !== '') signOut(refused);
  else if (session.token === token) workspace?.followAddress();
  else restart();
});

const started = startMap();
let about = await readAbout(base);
const map = await started;
wireLayout(() => map.resize());
part('show-all').addEventListener('click', () => map.fitAll());
showAbout(about);
isReady = true;
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
  workspace?.end();
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

/** Asks for what the workspace shows first: it arrives while the map starts. */
function begin() {
  client.begin('overview');
  // What is wrong with them, the workspace shows.
  names.load(0).catch(() => {});
}

/** Begins to show the data, now or when the page is ready. */
async function open() {
  hideSignIn(isPublic);
  if (!isReady) return;
  const opened = {};
  latest = opened;
  // The service had no release, or could not be reached, when the page was opened.
  if (about.release === undefined) {
    about = await readAbout(base);
    showAbout(about);
    if (latest !== opened || !mayAsk()) return;
  }
  workspace = new Workspace({
    client,
    names,
    about,
    map,
    onUnauthorized: () => signOut(NOT_ACCEPTED),
    onRetry: () => (about.release === undefined ? restart() : void workspace?.retry()),
  });
  void workspace.start();
}

/** @param {string} reason empty where the user asked for it */
function signOut(reason) {
  workspace?.end();
  workspace = undefined;
  session.close();
  showSignIn(reason);
}

/** The map, or where it cannot be drawn one that does nothing: the panels work without. */
async function startMap() {
  try {
    return await createMap(part('map'), {
      onPick: (picked) => void workspace?.pick(picked),
      onHere: (point) => void workspace?.tellHere(point),
      onView: (view) => workspace?.look(view),
      onSeen: showShowAll,
      onDrawing: (isDrawing) => workspace?.noteDrawing(isDrawing),
      covered: mapCovered,
    });
  } catch (error) {
    part('no-map').hidden = false;
    part('no-map-reason').textContent = error instanceof Error ? error.message : String(error);
    return noMap();
  }
}
