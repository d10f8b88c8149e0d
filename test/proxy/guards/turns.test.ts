// Whose turn is next while something large is sent from a folder: by order, not by the clock. What takes it is in memory,
// and takes all at once: nothing but the service itself gives way.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { directoryOrigin } from '../../../proxy/origin/directory.ts';
import { Connection } from '../../simulation/connection.ts';
import { VirtualTime } from '../../simulation/virtual-time.ts';
import { square } from '../../support/datasets/write-dataset.ts';
import { send } from '../../support/http/http-client.ts';
import { authorizedWith, type RunningService, startService } from '../../support/http/in-process-proxy.ts';
import { buildLayers } from '../../support/releases/build-release.ts';
import { until } from '../../support/until.ts';

const MIB = 1024 * 1024;
/** Every fourth unit is of one country: those are too far apart to be read together. Each is a read that is made at once. */
const UNITS = 680;
const NOTE_BYTES = 13_000;
const OTHERS = 40;

const folder = await buildLayers([
  {
    name: 'ADM_1',
    columns: ['GID_0', 'GID_1', 'NOTE'],
    features: Array.from({ length: UNITS }, (_, i) => {
      const note = createHash('shake256', { outputLength: NOTE_BYTES }).update(String(i)).digest('base64');
      return {
        fid: i + 1,
        values: [i % 4 === 0 ? 'AAA' : 'BBB', `U${i}`, note],
        wkt: square(i % 100, Math.floor(i / 100)),
      };
    }),
  },
]);
// By a clock that stands no read is slow: each that can be made at once is.
const origin = directoryOrigin(folder, () => 0);
const service = await startService(folder, { origin });
/** Of this one three reads are as much as may be done in a turn. */
const busy = await startService(folder, {
  origin: {
    ...origin,
    readNow(...read) {
      for (const begun = performance.now(); performance.now() - begun < 1; );
      return origin.readNow?.(...read) ?? false;
    },
  },
});

/** A connection that takes all at once, and says when it has taken something. */
class Fast extends Connection {
  readonly #onTaken: () => void;

  constructor(request: string, onTaken: () => void) {
    super(new VirtualTime(), request, { paceMs: 0, leavesMs: undefined });
    this.#onTaken = onTaken;
  }

  override _write(chunk: Buffer, encoding: string, taken: () => void): void {
    super._write(chunk, encoding, taken);
    this.#onTaken();
  }
}

interface Large {
  what: string;
  from: RunningService;
  path: string;
  /** Of its bytes one other request is answered for so many, at least. */
  bytes: number;
}

const LARGE: readonly Large[] = [
  { what: 'a scattered download', from: service, path: 'download/lv1.geojsonl.gz?gid-0=AAA', bytes: MIB },
  {
    what: 'scattered items in one body',
    from: busy,
    path: 'ogc/collections/lv1/items?GID_0=AAA&limit=60',
    bytes: MIB / 2,
  },
];

for (const { what, from, path, bytes } of LARGE)
  test(`while ${what} is read and sent, requests of another client are answered`, async () => {
    const [alice, bob] = [await authorizedWith({ sub: 'alice' }), await authorizedWith({ sub: 'bob' })];
    // Connected before, as other clients are.
    assert.equal((await send(from, '/api/v1/', bob)).status, 200);
    let [answered, atEnd] = [0, 0];
    const lines = Object.entries({ ...alice, 'accept-encoding': 'gzip' }).map(([name, text]) => `${name}: ${text}\r\n`);
    const request = `GET /api/v1/${path} HTTP/1.1\r\nHost: a.test\r\nConnection: close\r\n${lines.join('')}\r\n`;
    const large = new Fast(request, () => (atEnd = answered));
    from.server.emit('connection', large);
    const others = Array.from({ length: OTHERS }, async (_, i) => {
      assert.equal((await send(from, `/api/v1/geojsonl/lv1?start-at=${i}&page-size=1`, bob)).status, 200);
      answered++;
    });
    await until(() => large.closed, 'it does not end');
    await Promise.all(others);
    assert.equal(large.response?.status, 200);
    const least = Math.floor((large.response?.body.length ?? 0) / bytes);
    assert.ok(least >= 1, `${large.response?.body.length} bytes`);
    assert.ok(atEnd >= least, `${atEnd} others were answered meanwhile, expected ${least}`);
  });
