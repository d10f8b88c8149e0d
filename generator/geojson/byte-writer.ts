// A growing buffer for text, reused for every feature.

/** ASCII codes. */
export const COMMA = 0x2c;
const MINUS = 0x2d;
const POINT = 0x2e;
const ZERO = 0x30;

const INITIAL_BYTES = 1 << 20;

/** The two digits of every number 0 .. 99, as bytes, one pair after the other. */
const PAIRS: Uint8Array = Uint8Array.from({ length: 200 }, (_, i) => {
  const pair = i >> 1;
  return ZERO + (i % 2 === 0 ? Math.floor(pair / 10) : pair % 10);
});

/** Bytes written so far: `bytes[0 .. length)`. Call `reserve` before writing past what was reserved last. */
export interface Text {
  bytes: Buffer;
  length: number;
}

/** An empty text. */
export function newText(): Text {
  return { bytes: Buffer.allocUnsafe(INITIAL_BYTES), length: 0 };
}

/** Makes room for `more` bytes after the written ones. */
export function reserve(text: Text, more: number): void {
  const wanted = text.length + more;
  if (wanted <= text.bytes.length) return;
  const grown = Buffer.allocUnsafe(Math.max(wanted, text.bytes.length * 2));
  text.bytes.copy(grown, 0, 0, text.length);
  text.bytes = grown;
}

/** Writes ASCII characters, reserving for them. */
export function writeAscii(text: Text, ascii: string): void {
  reserve(text, ascii.length);
  text.length += text.bytes.write(ascii, text.length, 'latin1');
}

/** Writes one byte, reserving for it. */
export function writeByte(text: Text, byte: number): void {
  reserve(text, 1);
  text.bytes[text.length++] = byte;
}

/** Maximum bytes of one scaled number: sign, integer digits, point, decimals. */
export const NUMBER_BYTES = 24;

/**
 * Writes `scaled` / 10^`precision` in plain decimal notation, without trailing zeros and without `-0`.
 * The caller has reserved `NUMBER_BYTES`.
 * @param scaled a whole number, |scaled| <= 2^53
 * @param scale 10^precision
 */
export function writeScaled(text: Text, scaled: number, scale: number, precision: number): void {
  const bytes = text.bytes;
  let at = text.length;
  let rest = scaled;
  if (rest < 0) {
    bytes[at++] = MINUS;
    rest = -rest;
  }
  const whole = Math.floor(rest / scale);
  let decimals = rest - whole * scale;
  if (whole < 10) {
    bytes[at++] = ZERO + whole;
  } else if (whole < 100) {
    bytes[at++] = PAIRS[whole * 2] ?? 0;
    bytes[at++] = PAIRS[whole * 2 + 1] ?? 0;
  } else {
    at += bytes.write(String(whole), at, 'latin1');
  }
  if (decimals > 0) {
    bytes[at] = POINT;
    const first = at + 1;
    let last = at + precision;
    at = last + 1;
    for (; last > first; last -= 2) {
      const left = Math.floor(decimals / 100);
      const pair = (decimals - left * 100) * 2;
      bytes[last - 1] = PAIRS[pair] ?? 0;
      bytes[last] = PAIRS[pair + 1] ?? 0;
      decimals = left;
    }
    if (last === first) bytes[last] = ZERO + decimals;
    while (bytes[at - 1] === ZERO) at--;
  }
  text.length = at;
}
