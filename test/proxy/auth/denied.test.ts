// Tokens that an operator withdraws by --deny: by subject or by their own name, at once, also those that are remembered.
import assert from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { denyListIn } from '../../../proxy/config/denied-tokens.ts';
import { refusal, send } from '../../support/http/http-client.ts';
import { authorizedWith, startService } from '../../support/http/in-process-proxy.ts';
import { buildCountries } from '../../support/releases/build-release.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const PATH = '/api/v1/fc/lv0';
/** More than the age at which a file is read again. */
const LATER_MS = 1000;
const folder = await buildCountries();

/** A service with a deny list, on a clock of its own. */
async function stage(entries: string) {
  const file = join(temporaryFolder(), 'denied.txt');
  const write = (text: string | Buffer): void => writeFileSync(file, text);
  write(entries);
  const log: string[] = [];
  const clock = { ms: 0 };
  const denied = await denyListIn(
    file,
    (line) => log.push(line.replaceAll(file, 'FILE')),
    () => clock.ms,
  );
  const service = await startService(folder, { denied });
  const ask = (headers: { authorization: string }) => send(service, PATH, headers);
  return {
    file,
    log,
    ask,
    /** Changes the file, and lets the time pass after which it is read again. */
    change(text: string | Buffer) {
      write(text);
      clock.ms += LATER_MS;
    },
    passTime: () => (clock.ms += LATER_MS),
    faults: () => service.requests.map(({ tokenFault }) => tokenFault),
  };
}

test('a token is refused by its subject or its own name, others of the same client are not', async () => {
  const { ask, faults } = await stage('leaver\n\n  6f1c \r\nmachine');
  const leaked = await authorizedWith({ sub: 'partner', jti: '6f1c' });
  const machine = await authorizedWith({ sub: undefined, client_id: 'machine' });
  for (const headers of [await authorizedWith({ sub: 'leaver', jti: 'a' }), leaked, machine]) {
    const answer = await ask(headers);
    refusal(answer, 401, 'token-invalid');
    assert.match(String(answer.headers['www-authenticate']), /error="invalid_token"/);
  }
  assert.deepEqual(faults(), ['denied', 'denied', 'denied']);
  for (const claims of [{ sub: 'partner', jti: '6f1d' }, { sub: 'partner' }, { sub: 'leavers' }, { sub: 5, jti: {} }])
    assert.equal((await ask(await authorizedWith(claims))).status, 200);
});

test('a token that was accepted, and is remembered, is refused once the file names it, and accepted when it no longer does', async () => {
  const { ask, change, log } = await stage('');
  const [leaked, other] = [await authorizedWith({ jti: 'leaked' }), await authorizedWith({ jti: 'other' })];
  for (const headers of [leaked, leaked, other]) assert.equal((await ask(headers)).status, 200);
  change('leaked\n');
  assert.deepEqual([(await ask(leaked)).status, (await ask(other)).status], [401, 200]);
  change('somebody\nanother\n');
  assert.equal((await ask(leaked)).status, 200);
  assert.deepEqual(log, ['deny list FILE has changed: 1 entry', 'deny list FILE has changed: 2 entries']);
});

test('a file that goes, or is no list any more, changes nothing, and the log says so once', async () => {
  const { ask, change, passTime, file, log } = await stage('leaked');
  const leaked = await authorizedWith({ jti: 'leaked' });
  const secret = leaked.authorization.slice('Bearer '.length);
  for (const broken of [secret, `a\n${leaked.authorization}\n`, Buffer.from([0xff, 0x61]), 'a\0', 'x'.repeat(1001)]) {
    change(broken);
    assert.equal((await ask(leaked)).status, 401);
  }
  rmSync(file);
  for (let i = 0; i < 3; i++) {
    passTime();
    assert.equal((await ask(leaked)).status, 401);
  }
  const kept = 'what it named before is still refused';
  const wrong = [
    'line 1: a whole token, expected its sub or jti',
    'line 2: a whole token, expected its sub or jti',
    'is not UTF-8',
    'line 1: a control character',
    'line 1: more than 1000 characters',
    'cannot be read (ENOENT)',
  ];
  assert.deepEqual(
    log,
    wrong.map((what) => `deny list FILE: ${what}; ${kept}`),
  );
});

test('a list that cannot be used ends the start, and says where it is wrong and what to do', async () => {
  const file = join(temporaryFolder(), 'denied.txt');
  const start = () => denyListIn(file, () => {});
  await assert.rejects(start(), {
    message: 'the deny list cannot be used: cannot be read (ENOENT)',
    where: `--deny ${file}`,
    remedy: 'name a file with a sub or jti a line; it may be empty',
  });
  writeFileSync(file, 'a\nb\0c\n');
  await assert.rejects(start(), { message: 'the deny list cannot be used: line 2: a control character' });
});
