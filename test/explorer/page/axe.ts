// axe-core on a page, or in a frame of one.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

const RULES = {
  light: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
  /** Those that ask for colours: for all others it is the same page. */
  dark: ['color-contrast', 'link-in-text-block'],
} as const;

/** Asserts that axe-core finds nothing in what is shown. */
export async function assertAccessible(
  page: Pick<Page, 'evaluate'>,
  rules: keyof typeof RULES = 'light',
): Promise<void> {
  if (!(await page.evaluate<boolean>("'axe' in globalThis"))) await page.evaluate(AXE);
  const found = await page.evaluate<string[]>(
    `axe.run(document, { runOnly: ${JSON.stringify(RULES[rules])} })
      .then(({ violations }) => violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => id + ': ' + html)))`,
  );
  assert.deepEqual(found, []);
}
