// Files that are made of answers of the service: said while they are made, and saved.
import type { Change } from '../api/changes.ts';
import type { Client } from '../api/client.ts';
import { downloadToPath } from '../api/page-request.ts';
import type { UnitMap } from '../map/map.ts';
import { type Message, savedMessage, savingMessage } from '../messages/messages.ts';
import { page } from '../state/page.ts';
import type { Download } from './downloads.ts';
import { save } from './save.ts';
import { safeName } from './units-file.ts';

/** Loads listings, one after the other, all of one release, and saves them as one file. */
export async function saveListings(download: Download, client: Client, visit: AbortSignal): Promise<void> {
  const { title, listings, toFile, isAllLevels } = download;
  await saving(title, visit, async (signal, onProgress) => {
    /** Each as GeoJSON text. */
    const features: string[] = [];
    let release = '';
    onProgress(0);
    for (const listing of listings) {
      const path = downloadToPath({ ...listing, release });
      for await (const batch of client.download(path, signal)) {
        for (const line of batch.lines) features.push(line);
        release = batch.release;
        onProgress(features.length);
      }
    }
    const file = toFile({ features, release });
    save(file);
    return savedMessage(features.length, isAllLevels ? file.name : undefined);
  });
}

/** Saves the table of what changed. */
export async function saveChange({ from, path }: Change, client: Client, visit: AbortSignal): Promise<void> {
  const title = `changes since ${from}`;
  await saving(title, visit, async (signal) => {
    const name = `${path.split('/').at(-1)}`;
    save({ name, type: 'text/csv;charset=utf-8', parts: [(await client.file(path, signal)).blob] });
    return { kind: 'note', title: `Saved ${title}` };
  });
}

/** Saves what the map shows as PNG, with its legend and credits as they are on the page. */
export async function savePicture(map: UnitMap, names: readonly string[]): Promise<void> {
  const { drawPicture } = await import('../share/picture.js');
  const credits = [...(document.getElementById('credits')?.children ?? [])].map(({ textContent }) => textContent ?? '');
  const picture = await new Promise<Blob | null>((resolve) => {
    map.photograph((canvas) => {
      const captions = { legend: page.legend.value, credits };
      drawPicture(canvas, canvas.clientWidth, captions).toBlob(resolve);
    });
  });
  if (picture === null) throw new Error('The browser makes no PNG of this size.');
  save({ name: `${safeName(names)}.png`, type: 'image/png', parts: [picture] });
}

/**
 * @param visit ends it
 * @param run saves a file, and says what is saved
 * @throws what `run` throws, unless somebody has ended it
 */
async function saving(
  title: string,
  visit: AbortSignal,
  run: (signal: AbortSignal, onProgress: (units: number) => void) => Promise<Message>,
): Promise<void> {
  const stop = new AbortController();
  const onProgress = (units: number | undefined) => {
    page.message.value = { ...savingMessage(title, units), action: { label: 'Stop', run: () => stop.abort() } };
  };
  onProgress(undefined);
  try {
    page.message.value = await run(AbortSignal.any([visit, stop.signal]), onProgress);
  } catch (error) {
    if (stop.signal.aborted) page.message.value = undefined;
    else if (!visit.aborted) throw error;
  }
}
