// Starts Chromium for several processes: test/run.ts starts one of each kind for a run, a test file that is run by
// itself its own. It imports nothing of node:test, which would take test/run.ts for a test.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { type BrowserServer, chromium } from 'playwright-core';

/** Where it is; undefined where there is none. */
export const PROGRAM = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(existsSync);
const ARGUMENTS = ['--headless', '--no-sandbox', '--disable-quic', '--no-first-run', '--disable-background-networking'];
/**
 * Without WebGL a page starts faster, and has no map; with it the map is drawn in software, and nothing else by the
 * same means: without a graphics card the page itself takes less by the other one.
 */
export const KINDS = {
  plain: ['--disable-gpu', '--disable-software-rasterizer', '--disable-3d-apis'],
  webgl: '--use-angle=swiftshader --enable-unsafe-swiftshader --ignore-gpu-blocklist --disable-gpu-compositing'.split(
    ' ',
  ),
} as const;
/** The variable that has the address at which test/run.ts says where its browsers are. */
export const BROWSERS = 'TEST_BROWSERS';

/** Starts a browser to which several processes may connect. */
export function startBrowser(kind: string): Promise<BrowserServer> {
  assert.ok(kind === 'plain' || kind === 'webgl', kind);
  return chromium.launchServer({ executablePath: PROGRAM ?? '', args: [...ARGUMENTS, ...KINDS[kind]] });
}
