// Chromium, for tests of pages. A run has one of each kind (test/run.ts starts it when the first test asks); a test file
// that is run by itself starts its own.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { buffer } from 'node:stream/consumers';
import { after as afterProcess } from 'node:test';
import type { Browser, BrowserServer, Download, Page } from 'playwright-core';
import { chromium } from 'playwright-core';

/** Where it is; undefined where there is none. */
export const PROGRAM = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(existsSync);
const ARGUMENTS = ['--headless', '--no-sandbox', '--disable-quic', '--no-first-run', '--disable-background-networking'];
/** Without WebGL a page starts faster, and has no map; with it the map is drawn in software. */
const KINDS = {
  plain: ['--disable-gpu', '--disable-software-rasterizer', '--disable-3d-apis'],
  webgl: ['--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--ignore-gpu-blocklist'],
} as const;
/** What a browser can draw. */
export type BrowserKind = keyof typeof KINDS;
const TIMEOUT_MS = 45_000;
/** The variable that has the address at which test/run.ts says where its browsers are. */
export const BROWSERS = 'TEST_BROWSERS';

/** Why tests that need it are skipped; false where it is there. */
export const WITHOUT_CHROMIUM: string | false =
  PROGRAM === undefined && 'there is no Chromium here; on Debian: apt-get install chromium';

/** Starts a browser to which several processes may connect. */
export function startBrowser(kind: string): Promise<BrowserServer> {
  assert.ok(kind === 'plain' || kind === 'webgl', kind);
  return chromium.launchServer({ executablePath: PROGRAM ?? '', args: [...ARGUMENTS, ...KINDS[kind]] });
}

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
