// The units of whole listings, each as the service sends it. Used by workspace-view.js.

/**
 * Follows the pages of listings to the end, one listing after the other.
 * @param {readonly string[]} paths of their first pages
 * @param {object} options
 * @param {import('../api/client.js').Client} options.client
 * @param {AbortSignal} options.signal
 * @param {(features: number) => void} options.onProgress how many there are so far
 * @returns {Promise<{ features: string[], release: string }>} each as GeoJSON text
 * @throws {import('../api/client.js').RefusalError}
 */
export async function loadUnits(paths, { client, signal, onProgress }) {
  /** @type {string[]} */
  const features = [];
  let release = '';
  for (const path of paths) {
    /** @type {string | undefined} */
    let url = client.urlOf(path);
    while (url !== undefined) {
      const page = await client.page(url, signal);
      for (const { text } of page.units) if (text !== undefined) features.push(text);
      onProgress(features.length);
      [release, url] = [page.release, page.next];
    }
  }
  return { features, release };
}
