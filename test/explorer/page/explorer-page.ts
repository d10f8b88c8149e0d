// The explorer in a real browser, for the tests of this folder: a small release, a service, and journeys on pages in
// Chromium. Each page is watched: it must load nothing from elsewhere, and report no error.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { BrowserContextOptions, Page, ViewportSize } from 'playwright-core';
import { GEOMETRIES } from '../../../format/levels.ts';
import type { BuildOptions } from '../../../generator/build.ts';
import { countriesWith } from '../../support/datasets/small-datasets.ts';
import { type FixtureLayer, layerOf, square } from '../../support/datasets/write-dataset.ts';
import type { RunningService } from '../../support/http/in-process-proxy.ts';
import { AUTHORIZED, startService } from '../../support/http/in-process-proxy.ts';
import { type BrowserKind, browserOf, contentOf, WITHOUT_CHROMIUM } from '../../support/processes/chromium.ts';
import { buildLayers } from '../../support/releases/build-release.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { exposeMap } from './asked-map.ts';

const TIMEOUT_MS = 45_000;
/** Of a page, unless it has a map. */
export const WINDOW = { width: 1000, height: 640 };
/** Without a graphics card each pixel of the map is work. */
const MAP_WINDOW = { width: 800, height: 560 };
/** So that a test can read the clipboard. */
const CLIPBOARD = ['clipboard-read', 'clipboard-write'];

/** A valid token. */
export const TOKEN: string = AUTHORIZED.authorization.slice('Bearer '.length);
/** Text of the data that would run as markup. */
export const HOSTILE = '<img src=x onerror=alert(1)>';
/** The date of the release. */
export const DATE = '2026-11-22';
export const LICENCE = 'CC-BY-4.0';
export const ATTRIBUTION: readonly string[] = [
  'Tests & <i>friends</i>, https://example.org/data.',
  'Second source (example.com)',
];

/** The countries of the fixture with types, a region with a hostile name, and a district without geometry. */
function explorerLayers(): FixtureLayer[] {
  const [countries, regions, districts] = countriesWith('South', HOSTILE);
  assert.ok(countries && regions && districts);
  const withType = (layer: FixtureLayer, column: string, ...types: readonly string[]): FixtureLayer => ({
    ...layer,
    columns: [...layer.columns, column],
    features: layer.features.map((unit, i) => ({ ...unit, values: [...unit.values, types[i % types.length]] })),
  });
  const nowhere = { fid: 5, values: ['AAA.1.3_1', 'AAA', 'Aland', 'AAA.1_1', 'North', 'Nowhere'], wkt: null };
  return [
    countries,
    withType(regions, 'ENGTYPE_1', 'Region', 'Free City', 'Region'),
    withType({ ...districts, features: [...districts.features, nowhere] }, 'ENGTYPE_2', 'District'),
  ];
}

/** What downloads, requests and the map need: other geometries, cells, and tiles. */
export const ALL_SHAPES = { geometries: GEOMETRIES, cells: true, tiles: 6 } as const;

/** Builds a release of `explorerLayers` in a folder. */
export async function buildExplorerRelease(out: string, options: Partial<BuildOptions> = {}): Promise<void> {
  const credits = { date: DATE, licence: LICENCE, attribution: [...ATTRIBUTION] };
  await buildLayers(explorerLayers(), { ...credits, accept: ['empty-geometries'], ...options }, out);
}

/** A service with the explorer, and the folder of its releases. */
export type Explorer = RunningService & { folder: string };

/** A release of `explorerLayers`, served with the explorer. */
export async function startExplorer(options: Partial<BuildOptions> = {}): Promise<Explorer> {
  const folder = temporaryFolder();
  await buildExplorerRelease(folder, options);
  return { ...(await startService(folder, { explorer: true })), folder };
}

/** A release of any layers, served with the explorer. */
export async function startLayers(layers: readonly FixtureLayer[], options: Partial<BuildOptions> = {}) {
  return startService(await buildLayers(layers, options), { explorer: true });
}

/** A service with so many districts of one country: more rows than a screen has, more pages than one. */
export function startLargeExplorer(count: number): Promise<RunningService> {
  const districts = Array.from({ length: count }, (_, i) => {
    const values = [`AAA.${i + 1}_1`, 'AAA', `District ${i + 1}`];
    return [values, square((i % 100) / 20, Math.floor(i / 100) / 20, 0.05)] as const;
  });
  return startLayers([
    layerOf('ADM_0', ['GID_0', 'COUNTRY'], [[['AAA', 'Aland'], square(0, 0, 5)]]),
    layerOf('ADM_1', ['GID_1', 'GID_0', 'NAME_1'], districts),
  ]);
}

/** What a test may choose about its page. */
export interface PageOptions extends BrowserContextOptions {
  /** The address after the origin; by default the link with a token that `serve --dev` prints. */
  path?: string;
  /** Statuses of responses that the test provokes; the browser reports them as errors. */
  expected?: readonly number[];
  /** Shall it have a map, which the test may ask (asked-map.ts)? Without WebGL a page starts faster. */
  hasMap?: boolean | 'asked';
  /** Must nobody have used its page before, or after? */
  isAlone?: boolean;
}

/** Does what the title says, or asserts it. */
export type Step = (title: string, act: () => Promise<void>) => Promise<void>;

/**
 * A test: what a user does in one sitting, on one page, in steps. A step that fails ends it.
 * @param options also the service, or what starts it when the test begins
 */
export function journey<T extends RunningService>(
  title: string,
  { service, ...options }: PageOptions & { service: T | (() => Promise<T>) },
  walk: (page: Page, step: Step, service: T) => Promise<void>,
): void {
  test(title, { skip: WITHOUT_CHROMIUM }, async (t) => {
    const step: Step = async (name, act) => {
      let isDone = false;
      await t.test(name, async () => {
        await act();
        isDone = true;
      });
      assert.ok(isDone, `step: ${name}`);
    };
    const started = typeof service === 'function' ? await service() : service;
    await onPage(started, (page) => walk(page, step, started), options);
  });
}

interface FreePage {
  page: Page;
  key: string;
}

/** The last page of each browser, for a journey with the same options: a new one takes a second of CPU. */
const freePages = new Map<BrowserKind, FreePage>();

async function takePage(kind: BrowserKind, options: BrowserContextOptions, isAlone: boolean): Promise<FreePage> {
  const key = JSON.stringify(options);
  const free = freePages.get(kind);
  freePages.delete(kind);
  if (free?.key === key && !isAlone) return free;
  await free?.page.context().close();
  const context = await (await browserOf(kind)).newContext(options);
  context.setDefaultTimeout(TIMEOUT_MS);
  return { page: await context.newPage(), key };
}

/** Leaves a page as it was when it was new: without routes, listeners, and what a journey has kept in it. */
async function leavePage(kind: BrowserKind, { page, key }: FreePage, viewport: ViewportSize): Promise<void> {
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  page.removeAllListeners();
  await page.evaluate('sessionStorage.clear(), localStorage.clear()');
  await page.context().clearCookies();
  await page.mouse.move(0, 0);
  await page.goto('about:blank');
  await page.setViewportSize(viewport);
  freePages.set(kind, { page, key });
}

/** Runs `use` on a page of the explorer, and asserts that the page kept to itself meanwhile. */
async function onPage(
  service: RunningService,
  use: (page: Page) => Promise<void>,
  { path = `/#token=${TOKEN}`, expected = [], hasMap = false, isAlone = false, ...options }: PageOptions,
): Promise<void> {
  const kind = hasMap === false ? 'plain' : 'webgl';
  const viewport = options.viewport ?? (hasMap === false ? WINDOW : MAP_WINDOW);
  const all: BrowserContextOptions = { reducedMotion: 'reduce', permissions: CLIPBOARD, ...options, viewport };
  const taken = await takePage(kind, all, isAlone);
  const { page } = taken;
  const faults: string[] = [];
  page.on('pageerror', (error) => faults.push(`${error}`));
  page.on('console', (message) => {
    const [, status] = /the server responded with a status of (\d+)/.exec(message.text()) ?? [];
    if (message.type() === 'error' && !expected.includes(Number(status))) faults.push(message.text());
  });
  page.on('request', (request) => {
    const url = new URL(request.url());
    if (url.protocol !== 'blob:' && url.origin !== service.url) faults.push(`a request to ${request.url()}`);
  });
  if (hasMap === 'asked') await exposeMap(page);
  let isAsNew = false;
  try {
    await page.goto(`${service.url}${path}`);
    await use(page);
    assert.deepEqual(faults, []);
    isAsNew = !isAlone;
  } finally {
    if (isAsNew) await leavePage(kind, taken, viewport);
    else await page.context().close();
  }
}

/** Waits until the heading is `title` and the list under it is complete: `summary` is what it says of the units. */
export async function waitForPlace(page: Page, title: string, summary: string): Promise<void> {
  await page.locator('#heading').getByText(title, { exact: true }).waitFor();
  await page.locator('#subheading').getByText(summary, { exact: true }).waitFor();
}

/** The names in the list, as far as its rows are in the page. */
export async function namesIn(page: Page): Promise<string[]> {
  return page.locator('#rows .name').allTextContents();
}

/** A row of the list. */
export function row(page: Page, name: string): ReturnType<Page['locator']> {
  return page.locator('#rows .choose').filter({ has: page.getByText(name, { exact: true }) });
}

/** Selects a unit in the list, and waits for its facts from the service. */
export async function selectUnit(page: Page, name: string): Promise<void> {
  await row(page, name).click();
  await waitForFacts(page, name);
}

/** Waits for the facts of a unit from the service. */
export async function waitForFacts(page: Page, name: string): Promise<void> {
  const facts = page.locator('#facts');
  await facts.getByRole('heading', { name, exact: true }).waitFor();
  await facts.getByText(/^\d+ properties$/).waitFor();
}

/** The text in the clipboard of a page. */
export function copied(page: Page): Promise<string> {
  return page.evaluate<string>('navigator.clipboard.readText()');
}

/** Opens a unit of the list: its units inside. */
export async function openUnit(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: new RegExp(`^Open ${name}: `) }).click();
}

/** Chooses an item of the download menu, which is opened for it where it is closed; the file that is saved. */
export async function saveItem(page: Page, item: string): Promise<{ name: string; content: Buffer }> {
  const menuItem = page.getByRole('menuitem', { name: item });
  if (!(await menuItem.isVisible())) await page.getByRole('button', { name: 'Download' }).click();
  return saveFrom(page, () => menuItem.click());
}

/** The file that something on the page saves. */
export async function saveFrom(page: Page, act: () => Promise<void>): Promise<{ name: string; content: Buffer }> {
  const [file] = await Promise.all([page.waitForEvent('download'), act()]);
  return { name: file.suggestedFilename(), content: await contentOf(file) };
}

/** The text that the service sends at a path of its API. */
export async function apiText({ url }: { url: string }, path: string): Promise<string> {
  return (await fetch(`${url}/api/v1/${path}`, { headers: AUTHORIZED })).text();
}

/** Chooses a file in the Table tab, which is open. */
export function chooseTable(page: Page, name: string, text: string): Promise<void> {
  const file = { name, mimeType: 'text/csv', buffer: Buffer.from(text) };
  return page.locator('#table-file').setInputFiles(file);
}

/** Types into the search field, and waits for what is said of the results. */
export async function search(page: Page, text: string, note: string): Promise<void> {
  const field = page.getByLabel('Search by name, GID or coordinates');
  // What is said of a search stays until another one is answered.
  await field.fill('');
  await field.fill(text);
  await page.locator('#found-note').getByText(note, { exact: true }).waitFor();
}

/** What the browser keeps beyond this page. */
export function keptBy(page: Page): Promise<unknown[]> {
  return page.evaluate<unknown[]>('[sessionStorage.length, localStorage.length, document.cookie]');
}

/** Gives a token by the form; `isKept`: for the session. */
export async function give(page: Page, text: string, isKept = false): Promise<void> {
  await page.getByLabel('Token').fill(text);
  await page.getByLabel('Keep me signed in for this session').setChecked(isKept);
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
