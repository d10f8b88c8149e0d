// The metrics of a running proxy and the alerts of proxy/examples/operations, in one file because a fault is brought about
// once for both: metrics say it, and promtool puts those before it and while it lasts to the rules. Exactly the alerts
// that are meant fire, and none without a fault.
import assert from 'node:assert/strict';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test as nodeTest } from 'node:test';
import { CURRENT_PATH, RELEASE_FILE, releasePath } from '../../../format/layout.ts';
import { TOKEN_FAULTS } from '../../../proxy/auth/token-fault.ts';
import { METRICS, type Metric } from '../../../proxy/operations/metric-list.ts';
import { filesUnder, sha256Of } from '../../support/files.ts';
import { send } from '../../support/http/http-client.ts';
import { AUDIENCE, ISSUER } from '../../support/http/in-process-proxy.ts';
import { startIssuer } from '../../support/http/issuer.ts';
import { startStaticHost } from '../../support/http/static-host.ts';
import { assertFiring, type Target } from '../../support/processes/alerts.ts';
import { printedBy, runProgram, without } from '../../support/processes/programs.ts';
import { issuedOptions, issuerOptions, type Running, serve, workersOf } from '../../support/processes/proxy-process.ts';
import { releaseRun } from '../../support/processes/release-script.ts';
import { metricsOf, metricsText, type Scrape, scrape, seriesIn, untilSaid } from '../../support/processes/scrape.ts';
import { pointTo } from '../../support/releases/point-to.ts';
import { copyOf, temporaryFolder } from '../../support/temporary-folder.ts';

const RULES = 'proxy/examples/operations/alerts.yml';
const CONFIG = 'proxy/examples/operations/prometheus.yml';
const skip = without('promtool --version', 'flock --version');
const test = (title: string, body: () => Promise<void>) => nodeTest(title, { skip }, body);

/** Releases r1 and r2 as the script publishes them, r1 current; what it says of each. */
const published = releaseRun();
const textfiles: Scrape[] = [];
if (skip === false)
  for (const release of ['r1', 'r2']) {
    published.set({ release });
    assert.equal((await published.run()).status, 0);
    textfiles.push(textfile(published.metrics));
  }
const [ofFirst = new Map<string, number>(), ofSecond = new Map<string, number>()] = textfiles;
const folder = skip === false ? published.output : temporaryFolder();
if (skip === false) pointTo(folder, 'r1', ['r1', 'r2']);

/** What the node exporter reads. */
function textfile(metrics: string): Scrape {
  const files = filesUnder(metrics).filter((name) => name.endsWith('.prom'));
  return seriesIn(files.map((name) => readFileSync(join(metrics, name), 'utf8')).join(''));
}

/** A proxy with the address of its metrics. */
async function observed(origin: string, options = issuerOptions(), ...more: string[]) {
  const running = await serve(['--origin', origin, ...options, '--metrics-port', '0', ...more]);
  const url = await metricsOf(running);
  return { running, read: () => scrape(url), untilSaid: (isSaid: (now: Scrape) => boolean) => untilSaid(url, isSaid) };
}

/** What Prometheus reads of a proxy, and of the machine where releases are published. */
function targets(before: Scrape, after: Scrape | undefined, [was, is] = [ofFirst, ofFirst]): Target[] {
  return [
    { job: 'boundaries', instance: 'a', before, after },
    { job: 'node', instance: 'b', before: was, after: is },
  ];
}

/** The series of a release. */
const infoOf = (release: string): string =>
  `boundaries_release_info{release="${release}",digest="${sha256Of(join(folder, releasePath(release), RELEASE_FILE))}"}`;

const numberIn = (scraped: Scrape, series: string): number => scraped.get(`boundaries_${series}`) ?? Number.NaN;

async function statusOf(running: Running, path = '/api/v1/fc/lv0'): Promise<number> {
  return (await send(running, path)).status;
}

/** The labels of the series of a metric, and their values. */
function seriesOf(scraped: Scrape, name: string): [string, number][] {
  return [...scraped]
    .filter(([series]) => series.split('{')[0] === `boundaries_${name}`)
    .map(([series, value]) => [series.slice(name.length + 'boundaries_'.length), value]);
}

for (const workers of ['1', '2'])
  test(`every metric is there from the start, with 0 for each known label and names as Prometheus wants them, of ${workers} processes`, async () => {
    const begun = Date.now() / 1000;
    const running = await serve([...issuedOptions(folder), '--metrics-port', '0', '--workers', workers]);
    const printed = await metricsText(await metricsOf(running));
    const scraped = seriesIn(printed);
    for (const [name, { help, type }] of Object.entries<Metric>(METRICS)) {
      assert.ok(printed.includes(`# HELP boundaries_${name} ${help}\n# TYPE boundaries_${name} ${type}\n`), name);
      if (type !== 'histogram') assert.ok(seriesOf(scraped, name).length > 0, name);
      if (type === 'counter') for (const [labels, value] of seriesOf(scraped, name)) assert.equal(value, 0, labels);
    }
    const labelsOf = (name: string) => seriesOf(scraped, name).map(([labels]) => labels);
    assert.deepEqual(
      labelsOf('refused_tokens_total'),
      TOKEN_FAULTS.map((code) => `{code="${code}"}`),
    );
    for (const kind of ['missing', 'unreadable', 'unreachable', 'damaged', 'slow', 'busy'])
      assert.ok(labelsOf('origin_errors_total').includes(`{kind="${kind}"}`), kind);
    assert.deepEqual(labelsOf('keys_age_seconds'), [`{issuer="${ISSUER}"}`]);
    assert.deepEqual([scraped.get(infoOf('r1')), numberIn(scraped, 'release_refused')], [1, 0]);
    const loaded = numberIn(scraped, 'release_loaded_timestamp_seconds');
    assert.ok(loaded >= begun - 1 && loaded <= Date.now() / 1000 + 1);
    assert.ok(numberIn(scraped, 'pointer_age_seconds') < Date.now() / 1000 - begun + 1);
    const file = join(temporaryFolder(), 'metrics.txt');
    writeFileSync(file, printed);
    // It complains of some of Node's, too.
    const { text } = await runProgram('sh', ['-c', 'promtool check metrics < "$0"', file]);
    assert.doesNotMatch(text, /boundaries_/);
    await running.stop();
  });

test('the rules and the configuration are valid, and every metric in them is one of ours', async () => {
  for (const [kind, file] of [
    ['rules', RULES],
    ['config', CONFIG],
  ] as const)
    await printedBy('promtool', ['check', kind, file]);
  const alerts = [...readFileSync(RULES, 'utf8').matchAll(/- alert: (\w+)/g)].map(([, name]) => name);
  const explained = readFileSync('proxy/examples/operations/README.md', 'utf8').matchAll(/`(Boundaries\w+)`/g);
  assert.deepEqual(Array.from(explained, ([, name]) => name).sort(), alerts.sort());
  const named = [...readFileSync(RULES, 'utf8').matchAll(/expr: (?:\|\n(?: {10,}.*\n)+|.*)/g)].join('\n');
  const known = new Set([
    ...Object.keys(METRICS),
    ...[...ofFirst.keys(), 'boundaries_verify_exit_code', 'boundaries_verify_timestamp_seconds'].map((series) =>
      series.split('{')[0]?.replace('boundaries_', ''),
    ),
  ]);
  const unknown = [...named.matchAll(/boundaries_(\w+)/g)].filter(([, name]) => !known.has(name ?? ''));
  assert.deepEqual(unknown, []);
  // Wrong input: a rule that cannot be read is refused.
  const broken = join(temporaryFolder(), 'alerts.yml');
  writeFileSync(
    broken,
    readFileSync(RULES, 'utf8').replace('boundaries_release_refused == 1', 'boundaries_release_refused =='),
  );
  assert.notEqual((await runProgram('promtool', ['check', 'rules', broken])).status, 0);
});

test('no alert fires while all is well, nor when a proxy is asked wrong questions or gets the next release', async () => {
  const { running, read, untilSaid } = await observed(folder);
  const before = await read();
  for (const path of ['/api/v1/fc/lv0', '/api/v1/fc/lv9', '/api/v1/fc/lv0?x=1']) await statusOf(running, path);
  await assertFiring(targets(before, await read()), []);
  pointTo(folder, 'r2', ['r1', 'r2']);
  const after = await untilSaid((now) => now.has(infoOf('r2')));
  await assertFiring(targets(before, after, [ofFirst, ofSecond]), []);
  await assertFiring(targets(before, undefined), ['BoundariesDown', 'BoundariesOlderReleaseServed']);
  pointTo(folder, 'r1', ['r1', 'r2']);
  await running.stop();
});

test('an older release is served than was published: refused, or not copied; and proxies that serve different ones', async () => {
  const copy = copyOf(folder);
  const { running, read, untilSaid } = await observed(copy, issuerOptions(), '--workers', '2');
  const before = await read();
  // Published, and not copied.
  await assertFiring(targets(before, before, [ofFirst, ofSecond]), ['BoundariesOlderReleaseServed']);
  const description = join(copy, releasePath('r2'), RELEASE_FILE);
  const intact = readFileSync(description);
  rmSync(description);
  writeFileSync(join(copy, CURRENT_PATH), pointerTo('r2'));
  const refused = await untilSaid((now) => numberIn(now, 'release_refused') === 1);
  const loadedAt = 'release_loaded_timestamp_seconds';
  assert.deepEqual([refused.get(infoOf('r1')), numberIn(refused, loadedAt)], [1, numberIn(before, loadedAt)]);
  assert.ok(numberIn(refused, 'origin_errors_total{kind="missing"}') > 0);
  const expected = ['BoundariesDamagedFile', 'BoundariesOlderReleaseServed', 'BoundariesReleaseRefused'];
  await assertFiring(targets(before, refused, [ofFirst, ofSecond]), expected);
  writeFileSync(description, intact);
  const isServed = (now: Scrape): boolean => now.has(infoOf('r2')) && !now.has(infoOf('r1'));
  const served = await untilSaid((now) => isServed(now) && numberIn(now, 'release_refused') === 0);
  assert.ok(numberIn(served, loadedAt) > numberIn(before, loadedAt));
  // Another proxy, which found nothing damaged.
  const after = new Map([...served].filter(([series]) => !series.includes('origin_errors')));
  const differ: Target[] = [...targets(before, before), { job: 'boundaries', instance: 'c', before, after }];
  await assertFiring(differ, ['BoundariesReleasesDiffer']);
  await running.stop();
});

/** A current.json that names this release. */
function pointerTo(release: string): Buffer {
  const copy = copyOf(folder);
  pointTo(copy, release, ['r1', 'r2']);
  return readFileSync(join(copy, CURRENT_PATH));
}

test('a damaged file that a client asks for', async () => {
  const copy = copyOf(folder);
  const { running, read } = await observed(copy);
  const before = await read();
  const features = join(copy, releasePath('r1'), 'lv0/features');
  for (const name of filesUnder(features)) {
    const bytes = readFileSync(join(features, name));
    writeFileSync(
      join(features, name),
      bytes.map((byte) => byte ^ 1),
    );
  }
  assert.equal(await statusOf(running), 502);
  const damaged = await read();
  const errorsOf = (kind: string): number => numberIn(damaged, `origin_errors_total{kind="${kind}"}`);
  assert.deepEqual([errorsOf('damaged') > 0, errorsOf('missing')], [true, 0]);
  await assertFiring(targets(before, damaged), ['BoundariesDamagedFile', 'BoundariesErrors']);
  await running.stop();
});

test('an outage of the origin, before the start and after it', async () => {
  const host = await startStaticHost(folder);
  const { running, read, untilSaid } = await observed(host.url.href);
  const before = await read();
  host.fault = (_req, res) => Boolean(res.destroy());
  const outage = await untilSaid((now) => numberIn(now, 'pointer_age_seconds') > 2);
  // Nothing says that another release should be served.
  assert.equal(numberIn(outage, 'release_refused'), 0);
  const rising = 'boundaries_pointer_age_seconds';
  await assertFiring(targets(before, outage), ['BoundariesOriginDown'], { rising });
  assert.ok((await statusOf(running)) >= 500);
  await assertFiring(targets(before, await read()), ['BoundariesErrors', 'BoundariesOriginDown'], { rising });
  const late = await observed(host.url.href);
  const nothing = await late.read();
  const never = await late.untilSaid((now) => numberIn(now, 'pointer_age_seconds') > 2);
  const expected = ['BoundariesNoRelease', 'BoundariesOlderReleaseServed', 'BoundariesOriginDown'];
  await assertFiring(targets(nothing, never), expected, { rising });
  host.fault = undefined;
  await untilSaid((now) => numberIn(now, 'pointer_age_seconds') < 2);
  await running.stop();
  await late.running.stop();
});

test('keys that are not read any more; the age of those that are needs no requests', async () => {
  const issuer = await startIssuer('https://worn.test');
  const times = ['--jwks-cache', '1s', '--jwks-cooldown', '1s'];
  const keys = ['--issuer', issuer.name, '--jwks', issuer.url.href, '--audience', AUDIENCE, ...times];
  const { running, untilSaid } = await observed(folder, keys);
  const age = `keys_age_seconds{issuer="${issuer.name}"}`;
  const before = await untilSaid((now) => numberIn(now, age) < 1);
  issuer.fault = (res) => void res.writeHead(503).end();
  const after = await untilSaid((now) => numberIn(now, age) > 3);
  await assertFiring(targets(before, after), ['BoundariesKeysOld'], { rising: 'boundaries_keys_age_seconds' });
  issuer.fault = undefined;
  await untilSaid((now) => numberIn(now, age) < 1);
  await running.stop();
});

nodeTest('workers that exit and are replaced', { skip: skip || without('test -e /proc/self/task') }, async () => {
  const { running, read, untilSaid } = await observed(folder, issuerOptions(), '--workers', '2');
  const before = await read();
  for (const worker of workersOf(running.child)) process.kill(worker, 'SIGKILL');
  const after = await untilSaid((now) => numberIn(now, 'worker_restarts_total') === 2 && now.has(infoOf('r1')));
  await assertFiring(targets(before, after), ['BoundariesWorkersRestart']);
  await running.stop();
});

test('a run of release.sh that fails, a fault that verify finds, and no verify for days', async () => {
  const { running, read } = await observed(folder);
  const proxy = await read();
  await running.stop();
  const { output, metrics, set, run } = releaseRun();
  set({ release: 'r1' });
  await run();
  await run('verify');
  // The proxy serves another folder, with the same release.
  const well = new Map(
    [...textfile(metrics)]
      .filter(([series]) => !series.includes('published_info'))
      .concat([...ofFirst].filter(([series]) => series.includes('published_info'))),
  );
  await assertFiring(targets(proxy, proxy, [well, well]), []);
  await assertFiring(targets(proxy, proxy, [well, well]), ['BoundariesVerifyOld'], { intervalSeconds: 3600 });
  const failed = new Map([...well, ...(await exitCodesAfter(metrics, () => run('x')))]);
  await assertFiring(targets(proxy, proxy, [well, failed]), []);
  rmSync(join(output, releasePath('r1'), RELEASE_FILE));
  set({ release: 'r2', config: unbuildable() });
  const both = await exitCodesAfter(metrics, async () => {
    await run();
    await run('verify');
  });
  const expected = ['BoundariesReleaseRunFailed', 'BoundariesVerifyFailed'];
  await assertFiring(targets(proxy, proxy, [well, new Map([...well, ...both])]), expected);
});

/** Options of a build whose source is missing. */
function unbuildable(): string {
  const config = join(temporaryFolder(), 'build.json');
  writeFileSync(config, JSON.stringify({ source: ['none.gpkg'] }));
  return config;
}

async function exitCodesAfter(metrics: string, run: () => Promise<unknown>): Promise<[string, number][]> {
  await run();
  return [...textfile(metrics)].filter(([series]) => series.endsWith('_exit_code'));
}
