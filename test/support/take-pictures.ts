// Takes the pictures that the documents show, of the sample: the explorer, /docs and pages with maps. Not a test. Needs
// Chromium, and `npm start` in another terminal.
//   node --import tsx test/support/take-pictures.ts 'LINK', the link that it prints.
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { createPageServer } from '../clients/page-server.ts';
import { KINDS, PROGRAM } from './processes/browser-server.ts';

const EXPLORER = 'proxy/explorer/pictures';
const CLIENTS = 'proxy/examples/clients';
const WIDE = { viewport: { width: 1280, height: 800 } };
const PAGE = { viewport: { width: 960, height: 600 } };
const PHONE = { viewport: { width: 390, height: 780 }, deviceScaleFactor: 2, isMobile: true, hasTouch: true };
/** Until a map has drawn. */
const DRAW_MS = 5_000;
/** Of WebP, from 0 to 1. */
const QUALITY = 0.8;

const [link = ''] = process.argv.slice(2);
const { origin, hash } = new URL(link);
const browser = await chromium.launch({
  executablePath: PROGRAM ?? '',
  args: ['--headless', '--no-sandbox', ...KINDS.webgl],
});

/** Takes one picture: of `open`, after `act`. */
async function take(
  file: string,
  options: BrowserContextOptions,
  address: string,
  act: (page: Page) => Promise<void> = async () => {},
): Promise<void> {
  const context = await browser.newContext({ reducedMotion: 'reduce', ...options });
  const page = await context.newPage();
  await page.goto(address);
  await act(page);
  await page.waitForLoadState('networkidle');
  await setTimeout(DRAW_MS);
  writeFileSync(file, await asWebp(await page.screenshot()));
  await context.close();
}

/** A picture in PNG as WebP, which the browser writes. */
async function asWebp(png: Buffer): Promise<Buffer> {
  const page = await browser.newPage();
  const address = await page.evaluate<string>(`(async () => {
    const picture = await fetch('data:image/png;base64,${png.toString('base64')}');
    const image = await createImageBitmap(await picture.blob());
    const canvas = document.createElement('canvas');
    [canvas.width, canvas.height] = [image.width, image.height];
    canvas.getContext('2d').drawImage(image, 0, 0);
    return canvas.toDataURL('image/webp', ${QUALITY});
  })()`);
  await page.close();
  return Buffer.from(address.slice(address.indexOf(',') + 1), 'base64');
}

/** Goes to a place of the explorer, which is open with a token. */
function explorerAt(place: string, title: string): (page: Page) => Promise<void> {
  return async (page) => {
    await page.locator('#subheading').getByText('countries').waitFor();
    await page.goto(`${origin}/#${place}`);
    await page.locator('#heading, #facts-title').getByText(title, { exact: true }).first().waitFor();
  };
}

const light = { colorScheme: 'light' } as const;
const dark = { colorScheme: 'dark' } as const;
const unit = explorerAt('lv2?gid-0=ESP&unit=ESP.8.5_1&map=5.45/40.000/-3.300', 'Toledo');
await take(join(EXPLORER, 'unit.webp'), { ...WIDE, ...light }, link, unit);
await take(join(EXPLORER, 'unit-dark.webp'), { ...WIDE, ...dark }, link, unit);
const regions = explorerAt('lv1?gid-0=ESP', 'Spain');
await take(join(EXPLORER, 'phone.webp'), { ...PHONE, ...light }, link, regions);
await take(join(EXPLORER, 'phone-dark.webp'), { ...PHONE, ...dark }, link, regions);
await take(join(EXPLORER, 'request.webp'), WIDE, link, async (page) => {
  await explorerAt('lv2?gid-0=ESP&map=5.45/40.000/-3.300', 'Spain')(page);
  await page.getByRole('tab', { name: 'Request' }).click();
});
await take(join(EXPLORER, 'docs.webp'), WIDE, `${origin}/docs`, async (page) => {
  const questions = page.getByRole('heading', { name: 'Questions' });
  await questions.evaluate((heading) => heading.scrollIntoView());
});

// A page of the recipes: its credit is in the document, below the picture.
const { server, serve } = createPageServer();
await once(server.listen(0, '127.0.0.1'), 'listening');
const { port } = server.address() as AddressInfo;
serve(readFileSync(join(CLIENTS, 'numbers.html'), 'utf8'), port, origin, hash.slice('#token='.length));
await take(join(CLIENTS, 'numbers.webp'), PAGE, `http://127.0.0.1:${port}/`, async (page) => {
  const credit = page.locator('.maplibregl-ctrl-attrib-button');
  await credit.click();
  await credit.blur();
});
server.close();
await browser.close();
