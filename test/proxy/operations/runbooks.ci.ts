// The runbooks of OPERATING.md, whose commands are typed as they are printed.
import assert from 'node:assert/strict';
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { sha256Of } from '../../support/files.ts';
import { refusal, send } from '../../support/http/http-client.ts';
import { AUDIENCE, authorizedWith, ISSUER } from '../../support/http/in-process-proxy.ts';
import { printedBy, runProgram, without } from '../../support/processes/programs.ts';
import { issuedOptions, serve } from '../../support/processes/proxy-process.ts';
import { withCompiledPrograms } from '../../support/processes/typed-commands.ts';
import { codeIn } from '../../support/readme-code.ts';
import { buildCountries } from '../../support/releases/build-release.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { until } from '../../support/until.ts';

const PAGE = 'proxy/OPERATING.md';
const PATH = '/api/v1/fc/lv1';
const FILE = 'releases/r1/lv1/features/000001.geojsonl.gz';
const env = withCompiledPrograms();

/** Types the block of a runbook that has this text, in a folder; what it prints. */
async function type(cwd: string, text: string, changes: Readonly<Record<string, string>> = {}, status = 0) {
  const code = codeIn(PAGE, 'sh', text);
  const run = await runProgram('sh', ['-ec', code], { cwd, env: { ...env, ...changes } });
  assert.equal(run.status, status, run.text);
  return run.text;
}

test('a release is backed up, damaged, mended and restored as the runbooks say, while it is served', async () => {
  const there = temporaryFolder();
  const out = join(there, 'output');
  cpSync(await buildCountries(), out, { recursive: true });
  const running = await serve([...issuedOptions(out), '--no-access-log']);
  await type(there, '-cf backup.tar');
  writeFileSync(join(out, FILE), 'damaged');
  refusal(await send(running, PATH), 502, 'origin-damaged');
  assert.ok(running.err().includes(FILE), running.err());
  assert.match(await type(there, 'verify --release', { RELEASE: 'r1' }, 1), /000001/);

  mkdirSync(join(there, 'backup'));
  await runProgram('tar', ['-C', join(there, 'backup'), '-xf', join(there, 'backup.tar')]);
  await type(there, '"output/$FILE.new"', { FILE });
  await until(async () => (await send(running, PATH)).status === 200, 'the file that was mended is not read');

  assert.match(await type(there, '-xf backup.tar'), /0 findings/);
  const [before, after] = [out, join(there, 'output-restored')].map((folder) =>
    sha256Of(join(folder, 'releases/r1/release.json')),
  );
  assert.equal(after, before);
  const restored = await serve([...issuedOptions(join(there, 'output-restored')), '--no-access-log']);
  const [first, second] = await Promise.all([running, restored].map((proxy) => send(proxy, PATH)));
  assert.deepEqual([second?.headers.etag, second?.body], [first?.headers.etag, first?.body]);
});

test('a client whose token leaked is refused as the runbook says, others are not', async () => {
  const there = temporaryFolder();
  writeFileSync(join(there, 'denied.txt'), '');
  const options = issuedOptions(await buildCountries());
  const running = await serve([...options, '--deny', join(there, 'denied.txt')]);
  const [leaked, other] = [
    await authorizedWith({ sub: 'partner-a', jti: '6f1c' }),
    await authorizedWith({ jti: '6f1d' }),
  ];
  const status = async (headers: { authorization: string }): Promise<number> =>
    (await send(running, PATH, headers)).status;
  assert.deepEqual([await status(leaked), await status(other)], [200, 200]);
  const code = codeIn(PAGE, 'sh', 'process.env.TOKEN').replace('TOKEN=... ', '');
  const said = await runProgram('sh', ['-ec', code], { env: { ...env, TOKEN: leaked.authorization.slice(7) } });
  assert.match(said.text, /sub: 'partner-a'/);
  assert.match(said.text, /jti: '6f1c'/);
  const deny = codeIn(PAGE, 'sh', '>> denied.txt').replace('<jti or sub>', '6f1c');
  assert.deepEqual(await runProgram('sh', ['-ec', deny], { cwd: there }), { status: 0, text: '' });
  await until(async () => (await status(leaked)) === 401, 'it is not refused');
  assert.equal(await status(other), 200);
  await running.says(/deny list \S+denied\.txt has changed: 1 entry\n/);
  await running.says(/"code":"denied",.*"kid":"one","address":"127\.0\.0\.1"/);
});

test('after a key leaked another pair takes its place as the runbook says: the old tokens are refused, new ones are not', async () => {
  const there = temporaryFolder();
  const typed = (words: string): Promise<string> => printedBy('sh', ['-ec', words], { cwd: there, env });
  const tokenBy = async (folder: string): Promise<{ authorization: string }> => {
    const words = `npx tsx proxy/main.ts token --key ${folder}/private.pem --issuer ${ISSUER} --audience ${AUDIENCE} --subject a`;
    return { authorization: `Bearer ${(await typed(`${words} 2> jti.txt`)).trim()}` };
  };
  await typed('npx tsx proxy/main.ts keys --out keys');
  const old = await tokenBy('keys');
  // By this name --deny withdraws it alone.
  const { jti } = JSON.parse(Buffer.from(old.authorization.split('.')[1] ?? '', 'base64url').toString());
  assert.equal(readFileSync(join(there, 'jti.txt'), 'utf8'), `jti ${jti}: with it --deny withdraws this token alone\n`);
  const keys = ['--issuer', ISSUER, '--audience', AUDIENCE, '--jwks', join(there, 'keys/keys.json')];
  const running = await serve(['--origin', await buildCountries(), ...keys, '--no-access-log']);
  const status = async (headers: { authorization: string }): Promise<number> =>
    (await send(running, PATH, headers)).status;
  assert.equal(await status(old), 200);
  await type(there, 'keys --out keys-2\ncp');
  await until(async () => (await status(old)) === 401, 'the old key goes on working');
  assert.equal(await status(await tokenBy('keys-2')), 200);
  await running.says(/key set \S+keys\.json has changed: 1 key, kid "/);
});

test('releases are signed with another key as the runbook says, and served with that alone', {
  skip: without('openssl version'),
}, async () => {
  const there = temporaryFolder();
  const out = join(there, 'output');
  cpSync(await buildCountries(), out, { recursive: true });
  await type(there, 'private-2.pem', { RELEASE: 'r1' });
  const running = await serve(['--origin', out, '--public', '--trusted-key', join(there, 'public-2.pem')]);
  assert.equal((await send(running, PATH)).status, 200);
});
