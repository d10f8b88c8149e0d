// The script that a timer runs to publish the next release: what it does, what is still served when a step fails, what it
// says, and that a second run goes on.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test as nodeTest } from 'node:test';
import { currentFromJson } from '../../../format/current-json.ts';
import { CURRENT_PATH, releasePath } from '../../../format/layout.ts';
import { after } from '../../support/after.ts';
import { filesUnder } from '../../support/files.ts';
import { runProgram, without } from '../../support/processes/programs.ts';
import { RELEASE_SCRIPT, releaseRun } from '../../support/processes/release-script.ts';
import { type Scrape, seriesIn } from '../../support/processes/scrape.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const test = (title: string, body: () => Promise<void>) => nodeTest(title, { skip: without('flock --version') }, body);

function servedIn(folder: string) {
  const { release, hosted } = currentFromJson(readFileSync(join(folder, CURRENT_PATH), 'utf8'), CURRENT_PATH);
  return { release, hosted: [...hosted].sort() };
}

function metricsIn(folder: string, command: 'publish' | 'verify'): Scrape {
  return seriesIn(readFileSync(join(folder, `boundaries-${command}.prom`), 'utf8'));
}

/** Changes a byte of a feature file. @returns the file */
function damage(output: string, release: string): string {
  const folder = join(output, releasePath(release));
  const [name = ''] = filesUnder(folder).filter((file) => file.startsWith('lv0/features/'));
  const bytes = readFileSync(join(folder, name));
  bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] ?? 0) ^ 1;
  writeFileSync(join(folder, name), bytes);
  return name;
}

test('release.sh builds, verifies and serves the next release, prunes old ones, and says so in metrics', async () => {
  const { output, metrics, set, run } = releaseRun();
  for (const release of ['r1', 'r2', 'r3']) {
    set({ release });
    const { status, text } = await run();
    assert.deepEqual([status, text.endsWith(`\nrelease ${release} is published\n`)], [0, true], text);
  }
  assert.deepEqual(servedIn(output), { release: 'r3', hosted: ['r2', 'r3'] });
  assert.deepEqual(readdirSync(join(output, 'releases')).sort(), ['r2', 'r3']);
  const said = metricsIn(metrics, 'publish');
  assert.equal(said.get('boundaries_release_run_exit_code'), 0);
  const info = [...said.keys()].find((series) => series.startsWith('boundaries_published_info'));
  assert.match(info ?? '', /^boundaries_published_info\{release="r3",digest="[0-9a-f]{64}"\}$/);
  // Again: there is nothing to do.
  const again = await run();
  assert.equal(again.status, 0);
  assert.match(again.text, /^release r3 is built already\n(?!.*is current).*release r3 is published\n$/s);
  const verified = await run('verify');
  assert.equal(verified.status, 0);
  assert.match(verified.text, /\nrelease r3 is what was built\n$/);
  assert.equal(metricsIn(metrics, 'verify').get('boundaries_verify_exit_code'), 0);
  assert.deepEqual(readdirSync(metrics).sort(), ['boundaries-publish.prom', 'boundaries-verify.prom']);
  if (without('promtool --version')) return;
  for (const file of readdirSync(metrics)) {
    const checked = await runProgram('sh', ['-c', 'promtool check metrics < "$0"', join(metrics, file)]);
    assert.deepEqual(checked, { status: 0, text: '' });
  }
});

test('whatever fails, the release before is still served, the message says what to do, and a later run goes on', async () => {
  const { output, metrics, set, run } = releaseRun();
  set({ release: 'r1' });
  await run();
  const verifiedAt = async (): Promise<number | undefined> => {
    await run('verify');
    return metricsIn(metrics, 'verify').get('boundaries_verify_timestamp_seconds');
  };
  const firstVerified = await verifiedAt();
  assert.ok(firstVerified !== undefined && firstVerified > 0);
  set({ release: 'r2', config: join(temporaryFolder(), 'none.json') });
  assert.equal((await run()).status, 2);
  const config = join(temporaryFolder(), 'build.json');
  writeFileSync(config, JSON.stringify({ source: ['no-such-file.gpkg'] }));
  set({ config });
  const unbuilt = await run();
  assert.equal(unbuilt.status, 10);
  assert.match(unbuilt.text, /no-such-file\.gpkg.*release\.sh: release r2 is not built; r1 is still served\n$/s);
  assert.equal(metricsIn(metrics, 'publish').get('boundaries_release_run_exit_code'), 10);
  assert.deepEqual(servedIn(output), { release: 'r1', hosted: ['r1'] });
  // A release that was damaged after it was built.
  const { output: other, set: setOther, run: runOther } = releaseRun();
  for (const release of ['r1', 'r2']) {
    setOther({ release });
    await runOther();
  }
  setOther({ release: 'r1' });
  const file = damage(other, 'r1');
  const damaged = await runOther();
  assert.equal(damaged.status, 11);
  assert.ok(damaged.text.includes(file), damaged.text);
  assert.match(damaged.text, /release r1 is damaged; r2 is still served\. Remove it .*remove r1 --out/);
  assert.equal(servedIn(other).release, 'r2');
  // What is served is damaged: the time of the last check that found nothing stays.
  damage(output, 'r1');
  assert.equal((await run('verify')).status, 11);
  assert.equal(metricsIn(metrics, 'verify').get('boundaries_verify_exit_code'), 11);
  assert.equal(await verifiedAt(), firstVerified);
});

test('release.sh copies to a place of rclone, prunes there too, goes on after an outage, and verifies what is there', async () => {
  if (without('rclone version')) return;
  const { output, set, run } = releaseRun();
  const remote = join(temporaryFolder(), 'bucket');
  set({ release: 'r1', remote, upload: 'generator/examples/upload/upload.sh', keep: '1' });
  assert.equal((await run()).status, 0);
  // An outage: what is there cannot be written.
  renameSync(remote, `${remote}-aside`);
  writeFileSync(remote, '');
  set({ release: 'r2' });
  const { status, text } = await run();
  assert.equal(status, 13);
  assert.ok(text.endsWith(`release.sh: release r2 is not copied to ${remote}: run this again\n`), text);
  rmSync(remote);
  renameSync(`${remote}-aside`, remote);
  assert.equal(servedIn(remote).release, 'r1');
  assert.equal((await run()).status, 0);
  for (const folder of [output, remote]) assert.deepEqual(servedIn(folder), { release: 'r2', hosted: ['r2'] });
  assert.ok(!existsSync(join(remote, releasePath('r1'))));
  assert.equal((await run('verify')).status, 0);
  damage(remote, 'r2');
  const damaged = await run('verify');
  assert.equal(damaged.status, 11);
  assert.match(damaged.text, /release r2 in .* is not what was built: remove its damaged files, and run upload\.sh\n$/);
});

test('each setting of the example is one that release.sh knows', async () => {
  const example = readFileSync('proxy/examples/operations/release.conf', 'utf8');
  const named = [...example.matchAll(/^#?(\w+)=/gm)].map(([, name = '']) => name);
  const [, defaults = ''] = /^(output=.*)$/m.exec(readFileSync(RELEASE_SCRIPT, 'utf8')) ?? [];
  const known = [...defaults.matchAll(/(\w+)=/g)].map(([, name = '']) => name);
  assert.deepEqual([...named, 'generator'].sort(), known.sort());
  const { status, text } = await runProgram('sh', [RELEASE_SCRIPT, 'proxy/examples/operations/release.conf']);
  assert.deepEqual([status, /config=\/etc\/boundaries\/build\.json cannot be read/.test(text)], [2, true]);
});

test('a wrong call, settings that say too little, and a run beside another one are refused by name', async () => {
  const { output, file, set, run } = releaseRun();
  const call = (...args: string[]) => runProgram('sh', [RELEASE_SCRIPT, ...args]);
  assert.deepEqual(await call(), { status: 2, text: 'release.sh: usage: release.sh SETTINGS [verify]\n' });
  assert.deepEqual(await call('/none'), { status: 2, text: 'release.sh: /none cannot be read\n' });
  assert.match((await run('prune')).text, /prune is no command/);
  const wrong: [Record<string, string>, RegExp][] = [
    [{ output: '' }, /does not say output=/],
    [{ output, keep: '0' }, /keep=0 is no number of releases/],
    [{ keep: 'two' }, /keep=two is no number/],
    [{ keep: '2', remote: 's3:b', upload: '/none' }, /upload=\/none cannot be read, which copies to s3:b/],
  ];
  for (const [settings, said] of wrong) {
    set(settings);
    const { status, text } = await run();
    assert.equal(status, 2);
    assert.match(text, said);
  }
  set({ remote: '' });
  const holder = spawn('flock', ['--no-fork', file, 'sh', '-c', 'echo held; exec sleep 600'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  after(() => holder.kill('SIGKILL'));
  await once(holder.stdout, 'data');
  assert.deepEqual(await run(), { status: 75, text: 'release.sh: another run has not ended\n' });
  assert.ok(!existsSync(join(output, CURRENT_PATH)));
  // In a new folder there is nothing to verify.
  const empty = releaseRun();
  assert.match((await empty.run('verify')).text, /current\.json names no release\n$/);
});
