// A picture of the map: what it shows, what its colours mean, and whose data it is. A script of its own, loaded when a
// picture is saved.
import type { Legend } from '../state/page.ts';

/** What is drawn round the map. */
export interface Captions {
  /** Undefined if the colours of the map mean nothing. */
  legend: Legend | undefined;
  /** Whose data it is: what a licence asks for is never cut. */
  credits: readonly string[];
}

/** Pixels of the page, as the legend and the credits upon the page have them. */
const FONT = 'system-ui, sans-serif';
const TEXT_PIXELS = 12;
const LINE_PIXELS = 18;
const PADDING = 10;
const SWATCH = 14;
const STRIPE_PIXELS = 4;
const LEGEND_MAX = 320;
/** A legend that covers more of the map's height is below it, as on a phone. */
const COVERED_SHARE = 0.6;
/** No line of the legend has room for more. */
const LETTERS_MAX = 200;
/** Between two credits. */
const BETWEEN = ' · ';

/**
 * Draws the picture. To be called while the library draws the map, which keeps no picture of it.
 * @param map its canvas
 * @param width of the map in pixels of the page
 */
export function drawPicture(map: HTMLCanvasElement, width: number, { legend, credits }: Captions): HTMLCanvasElement {
  const scale = map.width / width;
  const picture = document.createElement('canvas');
  picture.width = map.width;
  const brush = brushOf(picture);
  brush.font = `${TEXT_PIXELS}px ${FONT}`;
  const lines = linesOf(brush, credits.join(BETWEEN), width - 2 * PADDING);
  const height = map.height / scale;
  const legendHeight = legend === undefined ? 0 : (legend.entries.length + 1) * LINE_PIXELS + 2 * PADDING;
  const below = legendHeight > COVERED_SHARE * height ? legendHeight : 0;
  const foot = below + lines.length * LINE_PIXELS + PADDING;
  // A canvas that gets another height forgets its font and its colours.
  picture.height = map.height + Math.ceil(foot * scale);
  brush.drawImage(map, 0, 0);
  brush.scale(scale, scale);
  brush.font = `${TEXT_PIXELS}px ${FONT}`;
  brush.textBaseline = 'middle';
  brush.fillStyle = colour('paper');
  brush.fillRect(0, height, width, foot);
  brush.fillStyle = colour('quiet');
  for (const [i, line] of lines.entries())
    brush.fillText(line, PADDING, height + below + PADDING / 2 + (i + 0.5) * LINE_PIXELS);
  if (legend !== undefined) drawLegend(brush, legend, height + below);
  return picture;
}

/** In the lower left corner of the map, or below it. @param bottom of its place */
function drawLegend(brush: CanvasRenderingContext2D, { title, entries }: Legend, bottom: number): void {
  const textAt = 2 * PADDING + SWATCH + PADDING / 2;
  const most = LEGEND_MAX - textAt;
  const texts = [title, ...entries.map(({ text }) => text)].map((text) => firstLine(brush, text, most));
  const width = Math.max(...texts.map((text) => brush.measureText(text).width)) + textAt;
  const height = texts.length * LINE_PIXELS + PADDING;
  const top = bottom - height - PADDING;
  brush.fillStyle = colour('paper');
  brush.fillRect(PADDING, top, width, height);
  for (const [i, text] of texts.entries()) {
    const middle = top + PADDING / 2 + (i + 0.5) * LINE_PIXELS;
    const entry = entries[i - 1];
    brush.fillStyle = colour('ink');
    brush.fillText(text, entry === undefined ? PADDING * 1.5 : textAt, middle);
    if (entry !== undefined) drawSwatch(brush, entry, PADDING * 1.5, middle - SWATCH / 2);
  }
}

function drawSwatch(brush: CanvasRenderingContext2D, entry: Legend['entries'][number], x: number, y: number): void {
  brush.save();
  brush.beginPath();
  brush.rect(x, y, SWATCH, SWATCH);
  brush.clip();
  brush.fillStyle = entry.colour;
  brush.fillRect(x, y, SWATCH, SWATCH);
  if (entry.stripes !== undefined) {
    brush.strokeStyle = entry.stripes;
    brush.beginPath();
    for (let at = -SWATCH; at < SWATCH; at += STRIPE_PIXELS) {
      brush.moveTo(x + at, y + SWATCH);
      brush.lineTo(x + at + SWATCH, y);
    }
    brush.stroke();
  }
  brush.restore();
}

/** A text as far as there is room for it; a cut one says so. */
function firstLine(brush: CanvasRenderingContext2D, text: string, width: number): string {
  if (brush.measureText(text).width <= width) return text;
  const letters = [...text.slice(0, LETTERS_MAX)];
  while (brush.measureText(`${letters.join('')}…`).width > width && letters.length > 0) letters.pop();
  return `${letters.join('')}…`;
}

/** A text in lines of at most `width` pixels; a longer word is a line of its own. */
function linesOf(brush: CanvasRenderingContext2D, text: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const line = lines.at(-1);
    const longer = `${line} ${word}`;
    if (line === undefined || brush.measureText(longer).width > width) lines.push(word);
    else lines[lines.length - 1] = longer;
  }
  return lines;
}

function colour(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}

function brushOf(canvas: HTMLCanvasElement): CanvasRenderingContext2D {
  const brush = canvas.getContext('2d');
  if (brush === null) throw new Error('The browser draws no pictures.');
  return brush;
}
