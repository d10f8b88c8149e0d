// Pages in Chromium, for tests: in the browser of the run, or in one of its own of a test file that is run by itself.
import assert from 'node:assert/strict';
import { buffer } from 'node:stream/consumers';
import { after as afterProcess } from 'node:test';
import { type Browser, chromium, type Download, type Page } from 'playwright-core';
import { BROWSERS, type KINDS, PROGRAM, startBrowser } from './browser-server.ts';

/** What a browser can draw. */
export type BrowserKind = keyof typeof KINDS;
const TIMEOUT_MS = 45_000;
/** Why tests that need it are skipped; false where it is there. */
export const WITHOUT_CHROMIUM: string | false =
  PROGRAM === undefined && 'there is no Chromium here; on Debian: apt-get install chromium';

const browsers = new Map<BrowserKind, Promise<Browser>>();
const ends: (() => Promise<void>)[] = [];
// Here, and not where one is opened: within a test it would be called when that test ends.
afterProcess(async () => {
  for (const end of ends) await end();
});

/** The browser of this process, which is closed when the process ends. */
export function browserOf(kind: BrowserKind): Promise<Browser> {
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

/** Opens a page of this address; it is closed when `use` ends. Fails if a script of the page fails meanwhile. */
export async function onPageAt<T>(url: string, use: (page: Page) => Promise<T>): Promise<T> {
  const context = await (await browserOf('plain')).newContext({ acceptDownloads: true });
  context.setDefaultTimeout(TIMEOUT_MS);
  const page = await context.newPage();
  const errors: string[] = [];
  page.on('pageerror', (error) => errors.push(String(error)));
  page.on('console', (message) => {
    if (/content security policy/i.test(message.text())) errors.push(message.text());
  });
  await page.goto(url);
  const result = await use(page);
  assert.deepEqual(errors, []);
  await context.close();
  return result;
}

/** Runs the body of an async function in the page, as a script of the page itself; its result, as JSON has it. */
export function runInPage<T>(page: Page, body: string): Promise<T> {
  return page.evaluate<T>(`(async () => {${body}})()`);
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
