// The name of a request, by which its line of the access log is found: X-Request-Id of answers.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { refusal, send } from '../../support/http/http-client.ts';
import { AUTHORIZED, NO_TOKEN, startService } from '../../support/http/in-process-proxy.ts';
import { buildCountries } from '../../support/releases/build-release.ts';

const PATH = '/api/v1/fc/lv0';
const UUID = /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/;
const folder = await buildCountries();
const direct = await startService(folder);
const behind = await startService(folder, { trustProxy: ['127.0.0.1'] });

test('every answer has the name of its request, a new one, which the log has, too', async () => {
  const first = await send(direct, PATH);
  const validator = { ...AUTHORIZED, 'if-none-match': first.headers.etag };
  const answers = [
    first,
    await send(direct, PATH),
    await send(direct, PATH, AUTHORIZED, 'HEAD'),
    await send(direct, PATH, validator),
    await send(direct, PATH, NO_TOKEN),
    await send(direct, `${PATH}?page-size=0`),
    await send(direct, '/healthz', NO_TOKEN),
  ];
  assert.deepEqual(
    answers.map(({ status }) => status),
    [200, 200, 200, 304, 401, 400, 200],
  );
  const given = answers.map(({ headers }) => String(headers['x-request-id']));
  for (const name of given) assert.match(name, UUID);
  assert.equal(new Set(given).size, given.length);
  const named = direct.requests.map(({ id }) => id);
  assert.deepEqual(named, given);
});

test('the name that a trusted reverse proxy gives is kept, that of a client is not, nor what is no name', async () => {
  for (const name of ['a'.repeat(32), 'Root=1-67891233-abcdef012345678912345678', 'f8c1/a+b@c.d:9_'])
    assert.equal((await send(behind, PATH, { ...AUTHORIZED, 'x-request-id': name })).headers['x-request-id'], name);
  const odd = ['', ' ', 'a b', '<a>', '"a"', 'a,b', '\u00e9', 'a'.repeat(129)];
  for (const name of odd)
    assert.match(
      String((await send(behind, PATH, { ...AUTHORIZED, 'x-request-id': name })).headers['x-request-id']),
      UUID,
      name,
    );
  const forged = await send(direct, PATH, { ...AUTHORIZED, 'x-request-id': 'forged' });
  assert.match(String(forged.headers['x-request-id']), UUID);
});

test('what shared caches keep has no name: it would be the one of another request', async () => {
  const service = await startService(folder, { isPublic: true, trustProxy: ['127.0.0.1'] });
  const named = { ...NO_TOKEN, 'x-request-id': 'one' };
  assert.equal((await send(service, PATH, named)).headers['x-request-id'], undefined);
  const refused = await send(service, `${PATH}?page-size=0`, named);
  refusal(refused, 400, 'bad-parameter');
  assert.equal(refused.headers['x-request-id'], 'one');
});
