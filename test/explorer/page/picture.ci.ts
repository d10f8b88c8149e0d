// The view of the map saved as a picture, with whose data it is.
import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { boxOf, colourAt, pixelOf, waitForDrawn } from './asked-map.ts';
import { ALL_SHAPES, journey, saveItem, startExplorer, waitForPlace } from './explorer-page.ts';

const service = await startExplorer(ALL_SHAPES);

/** The size of a PNG, the colour of one of its pixels, and how many colours its last rows have. */
interface Seen {
  width: number;
  height: number;
  colour: string;
  footColours: number;
}

/** Reads a PNG in the page itself, where it may be drawn: its policy lets no address of data be loaded. */
function look(page: Page, png: Buffer, { x, y, foot }: { x: number; y: number; foot: number }): Promise<Seen> {
  return page.evaluate<Seen>(`(async () => {
    const bytes = Uint8Array.from(atob('${png.toString('base64')}'), (c) => c.charCodeAt(0));
    const image = await createImageBitmap(new Blob([bytes], { type: 'image/png' }));
    const { width, height } = image;
    const brush = new OffscreenCanvas(width, height).getContext('2d');
    brush.drawImage(image, 0, 0);
    const [r, g, b] = brush.getImageData(${x}, ${y}, 1, 1).data;
    const rows = new Uint32Array(brush.getImageData(0, height - ${foot}, width, ${foot}).data.buffer);
    const colour = '#' + [r, g, b].map((n) => n.toString(16).padStart(2, '0')).join('');
    return { width, height, colour, footColours: new Set(rows).size };
  })()`);
}

journey('someone saves the view of the map', { service, hasMap: 'asked' }, async (page, step) => {
  const scripts: string[] = [];
  page.on('request', (request) => scripts.push(new URL(request.url()).pathname));
  await waitForPlace(page, 'r1', '2 countries');
  await waitForDrawn(page, 'fill', ['0/1', '0/2']);

  await step('as PNG, of what is seen, above the credits; its script comes only then', async () => {
    assert.ok(!scripts.some((path) => path.endsWith('picture.js')));
    const at = await pixelOf(page, 0.5, 3.5);
    const { name, content } = await saveItem(page, 'PNG');
    assert.equal(name, 'r1.png');
    const { x, y, width, height } = await boxOf(page, '#map');
    const seen = await look(page, content, { x: Math.round(at.x - x), y: Math.round(at.y - y), foot: 20 });
    assert.equal(seen.width, Math.round(width));
    assert.ok(seen.height > height + 20, `${seen.height} pixels, the map has ${height}`);
    assert.equal(seen.colour, await colourAt(page, at));
    assert.ok(seen.footColours > 5, 'nothing is written below the map');
    assert.ok(scripts.some((path) => path.endsWith('picture.js')));
  });
});
