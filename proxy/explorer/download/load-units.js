// The units of whole listings, each as the service sends it. Used by workspace-view.js.
import { downloadToPath } from '../api/page-request.js';

/**
 * Downloads listings, one after the other, all of one release.
 * @param {readonly import('../api/page-request.js').WholeListing[]} listings
 * @param {object} options
 * @param {import('../api/client.js').Client} options.client
 * @param {AbortSignal} options.signal
 * @param {(features: number) => void} options.onProgress how many there are so far
 * @returns {Promise<{ features: string[], release: string }>} each as GeoJSON text
 * @throws {import('../api/client.js').RefusalError}
 */
export async function loadUnits(listings, { client, signal, onProgress }) {
  /** @type {string[]} */
  const features = [];
  let release = '';
  for (const listing of listings) {
    for await (const batch of client.download(downloadToPath({ ...listing, release }), signal)) {
      for (const line of batch.lines) features.push(line);
      release = batch.release;
      onProgress(features.length);
    }
  }
  return { features, release };
}
