// Clients of a soak that are slow, or go away: in the middle of a request, before an answer, or in the middle of one.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { expectedPage, type Listing, pathOf } from '../support/listings.ts';
import { type Asker, attempt, authorizationOf } from './asker.ts';

const LARGE: Listing = { format: 'geojsonl', level: 0 };
const SLOW_MS = 20;

function headOf(asker: Asker): string {
  return `GET ${pathOf(LARGE)} HTTP/1.1\r\nHost: a.test\r\nConnection: close\r\nAuthorization: ${authorizationOf(asker)}\r\n\r\n`;
}

async function connected({ proxy }: Asker): Promise<Socket> {
  const { hostname, port } = new URL(proxy.url);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  // What happens after a client has gone is of no interest to it.
  return socket.on('error', () => {});
}

/** Sends its request in small pieces and reads the answer in pauses; it must be whole. */
async function slow(asker: Asker): Promise<void> {
  await attempt(asker, 'slow client', async () => {
    const socket = await connected(asker);
    for (const piece of headOf(asker).match(/.{1,40}/gs) ?? []) {
      socket.write(piece);
      await setTimeout(SLOW_MS);
    }
    const pieces: Buffer[] = [];
    for await (const piece of socket) {
      pieces.push(piece);
      await setTimeout(SLOW_MS);
    }
    const [head = '', ...body] = Buffer.concat(pieces).toString('utf8').split('\r\n\r\n');
    const release = /^Boundaries-Release: (\S+)$/m.exec(head)?.[1];
    if (release === undefined) throw new Error(`no page: ${head.slice(0, 300)}`);
    const { text } = expectedPage(LARGE, asker.published.known(release).levels);
    const got = body.join('\r\n\r\n');
    // A connection that is cut ends early.
    if (got.length < text.length) throw new Error(`${got.length} of ${text.length} characters`);
    assert.ok(got === text, 'slow client: another body');
  });
}

/** Goes away with a part of its request, at once after it, or after the beginning of the answer and a while. */
async function vanish(asker: Asker): Promise<void> {
  const socket = await connected(asker);
  const head = headOf(asker);
  const isWhole = asker.random(4) > 0;
  await new Promise((resolve) => socket.write(isWhole ? head : head.slice(0, asker.random(head.length)), resolve));
  if (isWhole && asker.random(3) > 0) {
    // A cut connection has nothing to read.
    await Promise.race([once(socket, 'data'), once(socket, 'close')]);
    socket.pause();
    await setTimeout(asker.random(10) * SLOW_MS);
  }
  socket.destroy();
}

/** Behaves as one of these clients. @throws as `ask` does */
export async function behaveBadly(asker: Asker): Promise<void> {
  await (asker.random(5) === 0 ? slow : vanish)(asker);
}
