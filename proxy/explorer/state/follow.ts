// Another release takes the place of the one that is shown.
import { type About, readAbout } from '../api/about.ts';
import { page } from './page.ts';

/** How long the page goes by what the service said of itself, even if answers are of another release. */
const KNOWN_MS = 30_000;

/**
 * Finds out that there is another release: answers are of it, and the service says so, too. Of several proxies one may
 * be late.
 * @param base the address of the page
 * @returns is told the release of each answer
 */
export function followReleases(base: string, onOther: (about: About) => void): (release: string) => Promise<void> {
  let readAgainAt = Number.NEGATIVE_INFINITY;
  return async (release) => {
    const { release: shown } = page.about.value ?? {};
    if (shown === undefined || release === shown || performance.now() - readAgainAt < KNOWN_MS) return;
    readAgainAt = performance.now();
    const about = await readAbout(base, 'no-cache');
    if (about.release !== undefined && about.release !== shown) onOther(about);
  };
}
