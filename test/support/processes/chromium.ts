// Chromium for tests: the browser of the run, or one of its own for a test file that is run by itself.
import { buffer } from 'node:stream/consumers';
import { after as afterProcess } from 'node:test';
import { type Browser, chromium, type Download, type Page } from 'playwright-core';
import { BROWSERS, type KINDS, PROGRAM, startBrowser } from './browser-server.ts';

export type BrowserKind = keyof typeof KINDS;
/** Why tests that need it are skipped; false where it is there. */
export const WITHOUT_CHROMIUM: string | false =
  PROGRAM === undefined && 'there is no Chromium here; on Debian: apt-get install chromium';

const browsers = new Map<BrowserKind, Promise<Browser>>();
const ends: (() => Promise<void>)[] = [];
// Here, and not where one is opened: within a test it would be called when that test ends.
afterProcess(async () => {
  for (const end of ends) await end();
});

/**
 * The browser of this process, which is closed when the process ends. Each call makes a promise of its own: node:test
 * takes what follows a promise for a part of the test in which the promise was made, and would call `after` of a later
 * test never.
 */
export async function browserOf(kind: BrowserKind): Promise<Browser> {
  const browser = browsers.get(kind) ?? connectTo(kind);
  browsers.set(kind, browser);
  return browser;
}

async function connectTo(kind: BrowserKind): Promise<Browser> {
  const run = process.env[BROWSERS];
  const server = run === undefined ? await startBrowser(kind) : undefined;
  const endpoint = server?.wsEndpoint() ?? (await (await fetch(`${run}${kind}`)).text());
  const browser = await chromium.connect(endpoint);
  ends.push(async () => {
    await browser.close();
    await server?.close();
  });
  return browser;
}

/** The content of a file that a page saves; where the browser has it, another process cannot read. */
export async function contentOf(file: Download): Promise<Buffer> {
  return buffer(await file.createReadStream());
}

/** Holds requests back until the result is called. */
export async function holdRequests(page: Page, paths: string): Promise<() => void> {
  let release: () => void = () => {};
  const released = new Promise<void>((resolve) => (release = resolve));
  await page.route(paths, (route) => released.then(() => route.continue()));
  return release;
}
