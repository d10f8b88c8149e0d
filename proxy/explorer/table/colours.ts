// The colours of classes: of numbers from pale to strong, of texts as different as can be; for light and for dark.
import { mix } from '../map/palette.ts';
import { type Kind, TEXTS_MAX } from './classes.ts';

/** On dark, what is much is bright. */
const RAMPS = {
  light: ['#fdebcf', '#e5853c', '#6e1d2c'],
  dark: ['#553029', '#c2602f', '#ffdca6'],
} as const;
const TEXTS = [
  ...['#1f8a80', '#e39427', '#4c72bd', '#c64f43', '#8fa93a', '#8f61ad'],
  ...['#ddc033', '#3fa6cf', '#db7bae', '#7a5b43', '#5fbd80', '#36506a'],
] as const;
const OTHER = '#98a2a8';

/** @param count of classes */
export function coloursOf(kind: Kind, count: number, isDark: boolean): string[] {
  if (kind === 'classes') return Array.from({ length: count }, (_, i) => (i < TEXTS_MAX ? (TEXTS[i] ?? OTHER) : OTHER));
  const [low, middle, high] = RAMPS[isDark ? 'dark' : 'light'];
  return Array.from({ length: count }, (_, i) => {
    const part = count === 1 ? 0.5 : i / (count - 1);
    return part <= 0.5 ? mix(low, middle, 2 * part) : mix(middle, high, 2 * part - 1);
  });
}
