// The other examples for operations: each panel of the dashboard shows something of a running proxy, the log is rotated
// while it is written, systemd accepts the units, and no client behind nginx notices a restart.
import assert from 'node:assert/strict';
import { closeSync, mkdirSync, openSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { stringify } from 'yaml';
import { isObject } from '../../../format/parse.ts';
import { jsonLines } from '../../support/files.ts';
import { send } from '../../support/http/http-client.ts';
import { holdRequests, startStaticHost } from '../../support/http/static-host.ts';
import { freePort } from '../../support/processes/free-port.ts';
import { missing, nginxBefore, SECOND_PROXY } from '../../support/processes/nginx-varnish.ts';
import { printedBy, runProgram, without } from '../../support/processes/programs.ts';
import { issuedOptions, issuerOptions, type Started, serve, start } from '../../support/processes/proxy-process.ts';
import { metricsOf, scrape } from '../../support/processes/scrape.ts';
import { codeIn } from '../../support/readme-code.ts';
import { buildCountries } from '../../support/releases/build-release.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { until } from '../../support/until.ts';

const CLIENTS = 4;
/** Answers that must come in each phase of a restart. */
const ANSWERS = 40;
const PATHS = ['/api/v1/fc/lv0', '/api/v1/geojsonl/lv1?page-size=2', '/api/v1/download/lv2.geojsonl.gz', '/readyz'];

const EXAMPLES = 'proxy/examples/operations';
const PATH = '/api/v1/fc/lv0';
const folder = await buildCountries();

/** A panel of the dashboard: its title, and what it asks Prometheus. */
interface Panel {
  title: string;
  expr: string;
}

/** @throws AssertionError if a panel has no target, or one that is no text */
function panelsOf(dashboard: unknown): Panel[] {
  const panels = isObject(dashboard) ? dashboard['panels'] : undefined;
  assert.ok(Array.isArray(panels) && panels.length > 0);
  return panels.flatMap(({ title, targets }) => {
    assert.ok(typeof title === 'string' && Array.isArray(targets) && targets.length > 0, String(title));
    return targets.map(({ expr }) => {
      assert.equal(typeof expr, 'string', title);
      return { title, expr: String(expr).replaceAll('$__rate_interval', '5m').replaceAll('$job', 'boundaries') };
    });
  });
}

/** What promtool says of these questions, put to these series: each has an answer. */
async function answersTo(panels: readonly Panel[], series: readonly object[]) {
  const file = join(temporaryFolder(), 'dashboard.test.yml');
  const questions = panels.map(({ expr }) => ({
    expr: `count(${expr}) > bool 0`,
    eval_time: '10m',
    exp_samples: [{ labels: '{}', value: 1 }],
  }));
  const tests = [{ interval: '15s', input_series: series, promql_expr_test: questions }];
  writeFileSync(file, stringify({ rule_files: [], evaluation_interval: '15s', tests }));
  return runProgram('promtool', ['test', 'rules', file]);
}

test('each panel of the dashboard shows something of a running proxy; a metric that there is not is found', {
  skip: without('promtool --version'),
}, async () => {
  const running = await serve([...issuedOptions(folder), '--metrics-port', '0']);
  await send(running, PATH);
  const scraped = await scrape(await metricsOf(running));
  await running.stop();
  // Of the machine where releases are published.
  const others = ['boundaries_verify_timestamp_seconds', 'boundaries_published_info{release="r1"}'];
  const named = [...scraped.keys(), ...others].map((series) => {
    const [metric = '', labels = ''] = series.split(/[{}]/);
    return { series: `${metric}{job="boundaries",instance="a"${labels && `,${labels}`}}`, values: '1+1x60' };
  });
  const panels = panelsOf(JSON.parse(readFileSync(join(EXAMPLES, 'dashboard.json'), 'utf8')));
  const { status, text } = await answersTo(panels, named);
  assert.equal(status, 0, text);
  const wrong = [{ title: 'x', expr: 'boundaries_no_such_metric' }];
  assert.notEqual((await answersTo(wrong, named)).status, 0);
});

test('logrotate cuts the access log while it is written: whole lines stay, and later ones go on', {
  skip: without('logrotate --version'),
}, async () => {
  const home = temporaryFolder();
  const log = join(home, 'access.log');
  const file = openSync(log, 'a');
  const running = await serve(issuedOptions(folder), {}, { stdout: file });
  closeSync(file);
  const config = join(home, 'logrotate.conf');
  const text = readFileSync(join(EXAMPLES, 'logrotate.conf'), 'utf8');
  assert.ok(text.includes('/var/log/boundaries/access.log'));
  writeFileSync(config, text.replaceAll('/var/log/boundaries/access.log', log), { mode: 0o644 });
  const rotate = (...args: string[]) => runProgram('logrotate', ['--state', join(home, 'state'), ...args]);
  const lines = (): number => jsonLines(readFileSync(log, 'utf8')).length;
  for (let i = 0; i < 3; i++) assert.equal((await send(running, PATH)).status, 200);
  await until(() => lines() === 3, 'no lines');
  assert.deepEqual(await rotate('--force', config), { status: 0, text: '' });
  assert.equal((await send(running, PATH)).status, 200);
  await until(() => lines() === 1, 'no line after it');
  assert.equal(jsonLines(readFileSync(`${log}.1`, 'utf8')).length, 3);
  await running.stop();
  writeFileSync(config, text.replace('rotate 14', 'rotate fourteen'));
  assert.match((await rotate('--debug', config)).text, /bad rotation count|error/);
});

test('systemd accepts the units and when their timers run; one that says nonsense is found', {
  skip: without('systemd-analyze --version'),
}, async () => {
  const home = temporaryFolder();
  const script = join(home, 'release.sh');
  writeFileSync(script, '#!/bin/sh\n', { mode: 0o755 });
  const folders = new Map(
    [EXAMPLES, 'proxy/examples/systemd'].flatMap((folder) =>
      readdirSync(folder)
        .filter((name) => /\.(service|timer)$/.test(name))
        .map((name) => [name, folder] as const),
    ),
  );
  const units = [...folders.keys()];
  assert.ok(units.length > 4);
  const textOf = (name: string): string => readFileSync(join(folders.get(name) ?? '', name), 'utf8');
  const written = (change: (text: string) => string): string[] => {
    const own = join(home, String(readdirSync(home).length));
    mkdirSync(own);
    return units.map((name) => {
      const text = textOf(name).replace(/^(ExecStart=)\/usr\/local\/\S+/m, `$1${script}`);
      writeFileSync(join(own, name), change(text));
      return join(own, name);
    });
  };
  const verify = async (change: (text: string) => string): Promise<string> => {
    const files = written(change);
    const { text } = await runProgram('systemd-analyze', ['verify', '--man=no', ...files]);
    return text
      .split('\n')
      .filter((line) => line.includes(home) || units.some((name) => line.startsWith(name)))
      .join('\n');
  };
  assert.equal(await verify((text) => text), '');
  assert.notEqual(await verify((text) => text.replace('Type=oneshot', 'Typ=oneshot')), '');
  for (const unit of units.filter((name) => name.endsWith('.timer'))) {
    const [, calendar = ''] = /^OnCalendar=(.*)$/m.exec(textOf(unit)) ?? [];
    await printedBy('systemd-analyze', ['calendar', calendar]);
  }
});

test('the lines that install the timer bring GDAL, and a folder whose releases are those of the user that builds', async () => {
  const root = temporaryFolder();
  for (const folder of ['etc/systemd/system', 'srv']) mkdirSync(join(root, folder), { recursive: true });
  const lines = codeIn(join(EXAMPLES, 'README.md'), 'sh', 'useradd').replaceAll(
    /(?<= )\/(?=(usr|etc|srv)\/)/g,
    `${root}/`,
  );
  const asRoot = ['npm', 'useradd', 'chown', 'systemctl'].map((name) => `${name}() { echo ${name} "$*"; }\n`);
  const printed = await printedBy('sh', ['-ec', `${asRoot.join('')}${lines}`]);
  const { peerDependencies } = JSON.parse(readFileSync('package.json', 'utf8'));
  const gdal = `npm install --global --prefix ${root}/usr/local gdal-async@${peerDependencies['gdal-async']}\n`;
  assert.ok(printed.startsWith(gdal), printed);
  assert.ok(printed.includes(`chown -R boundaries ${root}/srv/boundaries/output\n`));
  const units = readdirSync(join(root, 'etc/systemd/system')).sort();
  assert.deepEqual(
    units,
    readdirSync(EXAMPLES)
      .filter((name) => name.startsWith('boundaries-'))
      .sort(),
  );
  assert.deepEqual(readdirSync(join(root, 'usr/local/lib/boundaries')).sort(), ['release.sh', 'upload.sh']);
});

test('the lines that restart two proxies leave the second one alone while the first one is not ready', async () => {
  const lines = codeIn('proxy/OPERATING.md', 'sh', 'systemctl restart');
  const restarted = (status: number): Promise<string> =>
    printedBy('sh', ['-c', `systemctl() { echo "$2"; }\ncurl() { return ${status}; }\n${lines}`]);
  assert.equal(await restarted(0), 'boundaries-proxy@8080\nboundaries-proxy@8081\n');
  assert.equal(await restarted(22), 'boundaries-proxy@8080\n');
});

test('two proxies behind nginx are restarted one after the other, under load, and no request is lost', {
  skip: missing('nginx'),
}, async () => {
  const host = await startStaticHost(folder);
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
    const { held, release } = holdRequests(host, '/lv1/manifest');
    const port = ports[i] ?? assert.fail();
    const again = startAt(port);
    await until(() => held() > 0, 'no release is loaded');
    await goesOn();
    release();
    await again.says(/serving release r1 at/);
    await goesOn();
  }
  isOver = true;
  await clients;
  assert.deepEqual(lost, []);
});
