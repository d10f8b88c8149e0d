// What the metrics of a running proxy say: of the release, of its origin, of keys, of workers. Every series that is known
// is there from the start.
import assert from 'node:assert/strict';
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { CURRENT_PATH, RELEASE_FILE, releasePath } from '../../../format/layout.ts';
import { TOKEN_FAULTS } from '../../../proxy/auth/token-fault.ts';
import { METRICS, type Metric } from '../../../proxy/operations/metric-list.ts';
import { writeCountries } from '../../support/datasets/small-datasets.ts';
import { sha256Of } from '../../support/files.ts';
import { send } from '../../support/http/http-client.ts';
import { AUDIENCE, ISSUER } from '../../support/http/in-process-proxy.ts';
import { startIssuer } from '../../support/http/issuer.ts';
import { startStaticHost } from '../../support/http/static-host.ts';
import { runProgram, without } from '../../support/processes/programs.ts';
import { issuedOptions, issuerOptions, serve, workersOf } from '../../support/processes/proxy-process.ts';
import { metricsOf, metricsText, type Scrape, scrape } from '../../support/processes/scrape.ts';
import { buildCountries, buildUnchecked } from '../../support/releases/build-release.ts';
import { pointTo } from '../../support/releases/point-to.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { until } from '../../support/until.ts';

const folder = await buildCountries();
await buildUnchecked(writeCountries(), folder, { release: 'r2', activate: false });
pointTo(folder, 'r1', ['r1', 'r2']);

const digests = new Map(['r1', 'r2'].map((id) => [id, sha256Of(join(folder, releasePath(id), RELEASE_FILE))]));

/** The series of a release. */
function infoOf(release: string): string {
  return `boundaries_release_info{release="${release}",digest="${digests.get(release)}"}`;
}

/** The labels of the series of a metric, and their values. */
function seriesOf(scraped: Scrape, name: string): [string, number][] {
  return [...scraped]
    .filter(([series]) => series.split('{')[0] === `boundaries_${name}`)
    .map(([series, value]) => [series.slice(name.length + 'boundaries_'.length), value]);
}

/** Scrapes until the metrics say so. */
async function untilSaid(url: string, isSaid: (scraped: Scrape) => boolean, what: string): Promise<Scrape> {
  let scraped = await scrape(url);
  const asked = async (): Promise<boolean> => {
    scraped = await scrape(url);
    return isSaid(scraped);
  };
  await until(asked, () => `${what}: ${[...scraped].filter(([series]) => series.startsWith('boundaries')).join('\n')}`);
  return scraped;
}

for (const workers of ['1', '2'])
  test(`every metric is there from the start, with 0 for each known label and names as Prometheus wants them, of ${workers} processes`, {
    skip: without('promtool --version'),
  }, async () => {
    const begun = Date.now() / 1000;
    const running = await serve([...issuedOptions(folder), '--metrics-port', '0', '--workers', workers]);
    const url = await metricsOf(running);
    const scraped = await scrape(url);
    const withoutHistogram = Object.entries(METRICS).filter(([, { type }]) => type !== 'histogram');
    for (const [name] of withoutHistogram) assert.ok(seriesOf(scraped, name).length > 0, name);
    const counters = withoutHistogram.filter(([, { type }]) => type === 'counter').map(([name]) => name);
    for (const name of counters) for (const [labels, value] of seriesOf(scraped, name)) assert.equal(value, 0, labels);
    const kinds = ['missing', 'unreadable', 'unreachable', 'damaged', 'slow', 'busy'];
    const known = (label: string, values: readonly string[]) => values.map((value) => [`{${label}="${value}"}`, 0]);
    assert.deepEqual(seriesOf(scraped, 'refused_tokens_total'), known('code', TOKEN_FAULTS));
    for (const series of known('kind', kinds))
      assert.ok(seriesOf(scraped, 'origin_errors_total').some((found) => String(found) === String(series)));
    assert.equal(scraped.get(infoOf('r1')), 1);
    assert.equal(scraped.get('boundaries_release_refused'), 0);
    const loaded = scraped.get('boundaries_release_loaded_timestamp_seconds') ?? 0;
    assert.ok(loaded >= begun - 1 && loaded <= Date.now() / 1000 + 1);
    assert.ok((scraped.get('boundaries_pointer_age_seconds') ?? 1e9) < Date.now() / 1000 - begun + 1);
    assert.deepEqual(
      seriesOf(scraped, 'keys_age_seconds').map(([labels]) => labels),
      [`{issuer="${ISSUER}"}`],
    );
    const file = join(temporaryFolder(), 'metrics.txt');
    writeFileSync(file, await metricsText(url));
    const { text } = await runProgram('sh', ['-c', 'promtool check metrics < "$0"', file]);
    const complaints = text.split('\n').filter((line) => line.includes('boundaries_'));
    assert.deepEqual(complaints, []);
    for (const [name, { help, type }] of Object.entries<Metric>(METRICS)) {
      assert.ok((await metricsText(url)).includes(`# HELP boundaries_${name} ${help}\n`), name);
      assert.ok((await metricsText(url)).includes(`# TYPE boundaries_${name} ${type}\n`), name);
    }
    await running.stop();
  });

test('metrics say which release is served and since when, that another one is refused, and how old current.json is', async () => {
  const running = await serve([...issuedOptions(folder), '--metrics-port', '0', '--workers', '2']);
  const url = await metricsOf(running);
  const loadedAt = 'boundaries_release_loaded_timestamp_seconds';
  const isRefused = (scraped: Scrape): boolean => scraped.get('boundaries_release_refused') === 1;
  const first = await scrape(url);
  const description = join(folder, releasePath('r2'), RELEASE_FILE);
  const intact = readFileSync(description);
  pointTo(folder, 'r2', ['r1', 'r2']);
  const pointer = readFileSync(join(folder, CURRENT_PATH));
  pointTo(folder, 'r1', ['r1', 'r2']);
  rmSync(description);
  writeFileSync(join(folder, CURRENT_PATH), pointer);
  const refused = await untilSaid(url, isRefused, 'not refused');
  assert.equal(refused.get(infoOf('r1')), 1);
  assert.equal(refused.get(loadedAt), first.get(loadedAt));
  assert.ok((refused.get('boundaries_origin_errors_total{kind="missing"}') ?? 0) > 0);
  writeFileSync(description, intact);
  const isServed = (now: Scrape): boolean => seriesOf(now, 'release_info').length === 1 && now.has(infoOf('r2'));
  const served = await untilSaid(url, (now) => isServed(now) && !isRefused(now), 'not served');
  assert.ok((served.get(loadedAt) ?? 0) > (first.get(loadedAt) ?? 0));
  renameSync(join(folder, CURRENT_PATH), join(folder, 'aside.json'));
  const outage = await untilSaid(url, (now) => (now.get('boundaries_pointer_age_seconds') ?? 0) > 2, 'no age');
  // Nothing says that another release should be served.
  assert.equal(outage.get('boundaries_release_refused'), 0);
  renameSync(join(folder, 'aside.json'), join(folder, CURRENT_PATH));
  await untilSaid(url, (now) => (now.get('boundaries_pointer_age_seconds') ?? 9) < 2, 'not read again');
  await running.stop();
});

test('metrics count errors of the origin by kind, and each worker that is replaced', {
  skip: without('test -e /proc/self/task'),
}, async () => {
  const host = await startStaticHost(folder);
  const running = await serve(['--origin', host.url.href, ...issuerOptions(), '--metrics-port', '0', '--workers', '2']);
  const url = await metricsOf(running);
  const errors = (scraped: Scrape, kind: string): number =>
    scraped.get(`boundaries_origin_errors_total{kind="${kind}"}`) ?? Number.NaN;
  host.fault = (req, res) => req.url?.includes('/lv0/') === true && Boolean(res.writeHead(404).end());
  assert.equal((await send(running, '/api/v1/fc/lv0')).status, 502);
  host.fault = undefined;
  const first = await scrape(url);
  assert.deepEqual([errors(first, 'missing') > 0, errors(first, 'damaged')], [true, 0]);
  assert.equal(first.get('boundaries_worker_restarts_total'), 0);
  for (const worker of workersOf(running.child)) process.kill(worker, 'SIGKILL');
  await untilSaid(url, (now) => now.get('boundaries_worker_restarts_total') === 2, 'not counted');
  await running.stop();
});

test('the age of keys goes on while an issuer is down, is small again after it, and needs no requests', async () => {
  const issuer = await startIssuer('https://old.test');
  const times = ['--jwks-cache', '1s', '--jwks-cooldown', '1s', '--jwks-stale', '1h'];
  const keys = ['--issuer', issuer.name, '--jwks', issuer.url.href, '--audience', AUDIENCE, ...times];
  const running = await serve(['--origin', folder, ...keys, '--metrics-port', '0']);
  const url = await metricsOf(running);
  const age = (scraped: Scrape): number => scraped.get('boundaries_keys_age_seconds{issuer="https://old.test"}') ?? -1;
  issuer.fault = (res) => res.destroy();
  await untilSaid(url, (now) => age(now) > 2, 'no age');
  issuer.fault = undefined;
  await untilSaid(url, (now) => age(now) >= 0 && age(now) < 1, 'not read again');
  await running.stop();
});
