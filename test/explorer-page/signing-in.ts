// What someone does at the sign-in, for its tests.
import type { Page } from 'playwright-core';

// The tests are checked without the types of a browser.
declare const sessionStorage: { length: number };
declare const localStorage: { length: number };
declare const document: { cookie: string };

/** What the browser keeps beyond this page. */
export async function keptBy(page: Page): Promise<unknown[]> {
  return page.evaluate(() => [sessionStorage.length, localStorage.length, document.cookie]);
}

/** Gives a token by the form; `isKept`: for the session. */
export async function give(page: Page, text: string, isKept = false): Promise<void> {
  await page.getByLabel('Token').fill(text);
  await page.getByLabel('Keep for this session').setChecked(isKept);
  await page.getByRole('button', { name: 'Open' }).click();
}

export async function signOut(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.locator('#token:focus').waitFor();
}

/** Goes to an address of the same page, as a link does. */
export function follow(page: Page, fragment: string): Promise<void> {
  return page.evaluate(`setTimeout(() => { location.hash = ${JSON.stringify(fragment)}; })`);
}
