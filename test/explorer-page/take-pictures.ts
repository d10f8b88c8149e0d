// Takes the pictures of the explorer in proxy/explorer/pictures/: each state at three sizes, and a short animation. Not
// a test. Needs Chromium, and cwebp and img2webp (Debian: chromium, webp), and `npm start` in another terminal.
//   node --import tsx test/explorer-page/take-pictures.ts 'LINK', the link that it prints.
import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { chromium, type Page } from 'playwright-core';
import { KINDS, PROGRAM } from '../support/processes/browser-server.ts';
import { waitForFacts } from './explorer-page.ts';

const FOLDER = fileURLToPath(new URL('../../proxy/explorer/pictures/', import.meta.url));
const SIZES = {
  wide: { width: 1280, height: 800 },
  tablet: { width: 768, height: 1024 },
  phone: { width: 360, height: 740 },
} as const;
/** For all shapes of a country. */
const LOAD_MS = 120_000;
/** Until the map has drawn. */
const DRAW_MS = 4_000;
const QUALITY = ['-q', '80', '-m', '6'];

const [link = ''] = process.argv.slice(2);
const origin = new URL(link).origin;
const work = join(FOLDER, '.work');
const args = ['--headless', '--no-sandbox', ...KINDS.webgl];
const browser = await chromium.launch({ executablePath: PROGRAM ?? '', args });

/** Brings the page from the world to a state. */
const STATES: Readonly<Record<string, (page: Page) => Promise<void>>> = {
  world: async () => {},
  search: async (page) => {
    await page.locator('#find').fill('toledo');
    await page.locator('#found [role=option]').first().waitFor();
  },
  here: async (page) => {
    await page.locator('#find').fill('40.4168, -3.7038');
    await page.keyboard.press('Enter');
    await page.locator('#here a').first().waitFor();
  },
  unit: async (page) => {
    await page.goto(`${origin}/#lv0?unit=ESP`);
    await waitForFacts(page, 'Spain');
  },
  country: async (page) => goTo(page, 'lv1?gid-0=ESP', 'Spain'),
  municipalities: async (page) => goTo(page, 'lv3?gid-0=ESP', 'Spain'),
  request: async (page) => {
    await goTo(page, 'lv2?gid-0=ESP&page-size=10', 'Spain');
    await page.getByRole('tab', { name: 'Request' }).click();
  },
  empty: async (page) => {
    await page.goto(`${origin}/#lv1?gid-0=ATA`);
  },
  error: async (page) => {
    await page.getByRole('tab', { name: 'Request' }).click();
    await page.locator('#page-size').fill('0');
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByText('bad-parameter').waitFor();
  },
};

async function goTo(page: Page, place: string, title: string): Promise<void> {
  await page.goto(`${origin}/#${place}`);
  await page.locator('#heading').getByText(title, { exact: true }).waitFor();
}

async function openPage(viewport: { width: number; height: number }, colorScheme: 'light' | 'dark', address: string) {
  const isPhone = viewport.width < 400;
  const context = await browser.newContext({ viewport, colorScheme, reducedMotion: 'reduce', isMobile: isPhone });
  const page = await context.newPage();
  await page.goto(address);
  return page;
}

async function take(name: string, page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Stop', exact: true }).waitFor({ state: 'hidden', timeout: LOAD_MS });
  await page.waitForLoadState('networkidle');
  await setTimeout(DRAW_MS);
  const png = join(work, `${name}.png`);
  await page.screenshot({ path: png });
  execFileSync('cwebp', ['-quiet', ...QUALITY, png, '-o', join(FOLDER, `${name}.webp`)]);
}

async function takeStates(): Promise<void> {
  for (const [size, viewport] of Object.entries(SIZES)) {
    const signIn = await openPage(viewport, 'light', `${origin}/`);
    await take(`sign-in-${size}`, signIn);
    await signIn.context().close();
    for (const [state, go] of Object.entries(STATES)) {
      const schemes = ['world', 'municipalities'].includes(state) ? (['light', 'dark'] as const) : (['light'] as const);
      for (const scheme of schemes) {
        const page = await openPage(viewport, scheme, link);
        await page.locator('#subheading').getByText('countries').waitFor();
        await go(page);
        await take(`${state}-${size}${scheme === 'dark' ? '-dark' : ''}`, page);
        await page.context().close();
      }
    }
  }
}

/** Search, open, follow next, download. */
async function takeWalk(): Promise<void> {
  const page = await openPage({ width: 960, height: 600 }, 'light', link);
  const frames: { file: string; ms: number }[] = [];
  const frame = async (ms: number, drawMs = 0): Promise<void> => {
    if (drawMs > 0) await page.waitForLoadState('networkidle');
    await setTimeout(drawMs);
    const file = join(work, `frame-${frames.length}.png`);
    await page.screenshot({ path: file });
    frames.push({ file, ms });
  };
  await page.locator('#subheading').getByText('countries').waitFor();
  await frame(1500, DRAW_MS);
  const find = page.locator('#find');
  await find.focus();
  for (const text of ['c', 'ca', 'cas', 'cast', 'castil', 'castilla', 'castilla y']) {
    await find.fill(text);
    await page.locator('#found [role=option]').first().waitFor();
    await frame(160, 200);
  }
  await frame(900, 400);
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await frame(1600, DRAW_MS);
  await page
    .getByRole('button', { name: /^Open \d+ inside/ })
    .first()
    .click();
  await frame(1600, DRAW_MS);
  await page.getByRole('tab', { name: 'Request' }).click();
  await page.locator('#page-size').fill('4');
  await page.getByRole('button', { name: 'Send' }).click();
  await frame(1600, DRAW_MS);
  for (let i = 0; i < 2; i++) {
    await page.getByRole('button', { name: 'Next', exact: true }).click();
    await frame(1200, DRAW_MS);
  }
  await page.getByRole('tab', { name: 'Browse' }).click();
  await page.getByRole('button', { name: 'Download' }).click();
  await frame(2200, 500);
  const args = frames.flatMap(({ file, ms }) => ['-lossy', ...QUALITY, '-d', String(ms), file]);
  execFileSync('img2webp', ['-loop', '0', ...args, '-o', join(FOLDER, 'walk.webp')]);
  await page.context().close();
}

rmSync(FOLDER, { recursive: true, force: true });
mkdirSync(work, { recursive: true });
await takeStates();
await takeWalk();
rmSync(work, { recursive: true });
await browser.close();
