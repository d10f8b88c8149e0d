// Chromium, for tests of the explorer's modules: a page of a proxy that runs a script which imports them.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { after } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { chromium } from 'playwright-core';

/** Where it is; undefined where there is none. */
export const PROGRAM = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(existsSync);
const ARGUMENTS = ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--disable-background-networking'];
const TIMEOUT_MS = 45_000;

/** Why tests that need it are skipped; false where it is there. */
export const WITHOUT_CHROMIUM: string | false =
  PROGRAM === undefined && 'there is no Chromium here; on Debian: apt-get install chromium';

let browser: Promise<Browser> | undefined;
after(async () => (await browser)?.close());

/** Opens a page of this address; it is closed when `use` ends. Fails if a script of the page fails meanwhile. */
export async function onPageAt<T>(url: string, use: (page: Page) => Promise<T>): Promise<T> {
  browser ??= chromium.launch({ executablePath: PROGRAM ?? '', args: ARGUMENTS });
  const context = await (await browser).newContext({ acceptDownloads: true });
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

/** Holds requests back until the result is called. */
export async function holdRequests(page: Page, paths: string): Promise<() => void> {
  let release: () => void = () => {};
  const released = new Promise<void>((resolve) => (release = resolve));
  await page.route(paths, (route) => released.then(() => route.continue()));
  return release;
}
