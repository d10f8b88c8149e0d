// A restart that no client notices: nginx, as the example says, before two proxies that are restarted one after the other.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { send } from '../../support/http/http-client.ts';
import { startStaticHost } from '../../support/http/static-host.ts';
import { freePort } from '../../support/processes/free-port.ts';
import { missing, nginxBefore, SECOND_PROXY } from '../../support/processes/nginx-varnish.ts';
import { issuerOptions, type Started, start } from '../../support/processes/proxy-process.ts';
import { buildCountries } from '../../support/releases/build-release.ts';
import { until } from '../../support/until.ts';

const CLIENTS = 4;
/** Answers that must come in each phase of a restart. */
const ANSWERS = 40;
const PATHS = ['/api/v1/fc/lv0', '/api/v1/geojsonl/lv1?page-size=2', '/api/v1/download/lv2.geojsonl.gz', '/readyz'];

test('two proxies behind nginx are restarted one after the other, under load, and no request is lost', {
  skip: missing('nginx'),
}, async () => {
  const host = await startStaticHost(await buildCountries());
  const options = ['--origin', host.url.href, ...issuerOptions(), '--no-access-log'];
  const startAt = (port: number): Started => start([...options, '--port', String(port)]);
  const ports = [await freePort(), await freePort()] as const;
  const running = ports.map(startAt);
  for (const { says } of running) await says(/serving release r1 at/);
  const [first, second] = ports.map((port) => `127.0.0.1:${port}`);
  const front = await nginxBefore({ url: `http://${first}` }, 'nginx-front.conf', {
    [SECOND_PROXY]: SECOND_PROXY.replace('127.0.0.1:8081', String(second)),
  });

  let answers = 0;
  const lost: unknown[] = [];
  let isOver = false;
  const client = async (i: number): Promise<void> => {
    for (let n = i; !isOver; n++) {
      const path = PATHS[n % PATHS.length] ?? '';
      await send(front, path).then(
        ({ status, body }) => (status === 200 ? answers++ : lost.push(`${path}: ${status} ${body}`)),
        (error: unknown) => lost.push(`${path}: ${error}`),
      );
    }
  };
  const clients = Promise.all(Array.from({ length: CLIENTS }, (_, i) => client(i)));
  const goesOn = (): Promise<void> => {
    const enough = answers + lost.length + ANSWERS;
    return until(() => answers + lost.length >= enough, 'no answers come');
  };

  await goesOn();
  for (const [i, proxy] of running.entries()) {
    assert.deepEqual(await proxy.stop(), [0, null]);
    await goesOn();
    // It listens while it loads the release, which takes as long as the host likes.
    const held: (() => void)[] = [];
    host.fault = (req, res) =>
      req.url?.includes('/lv1/manifest') === true && hold(() => host.server.emit('request', req, res));
    const hold = (later: () => void): boolean => held.push(later) > 0;
    const port = ports[i] ?? assert.fail();
    const again = startAt(port);
    await until(() => held.length > 0, 'no release is loaded');
    await goesOn();
    host.fault = undefined;
    for (const later of held) later();
    await again.says(/serving release r1 at/);
    await goesOn();
  }
  isOver = true;
  await clients;
  assert.deepEqual(lost, []);
});
