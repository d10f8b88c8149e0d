// The example for AWS Lambda as its page says to deploy it: one bundled file, alone in a folder, in a process with a
// runtime of Lambda's kind. Its template agrees with it.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { readdirSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import { join, resolve } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { parse } from 'yaml';
import { after } from '../../support/after.ts';
import { writeCountries } from '../../support/datasets/small-datasets.ts';
import { AUDIENCE, AUTHORIZED, ISSUER, JWKS } from '../../support/http/in-process-proxy.ts';
import { listen } from '../../support/http/listen.ts';
import { BUCKET, S3_ENV, startS3 } from '../../support/http/s3-server.ts';
import { SEPARATOR } from '../../support/processes/awslambda.ts';
import { compile } from '../../support/processes/compile.ts';
import { runProgram } from '../../support/processes/programs.ts';
import { codeIn } from '../../support/readme-code.ts';
import { buildCountries, buildRelease } from '../../support/releases/build-release.ts';
import { pointTo } from '../../support/releases/point-to.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const PAGE = 'proxy/examples/lambda/README.md';
const HOST = 'abcdefgh.lambda-url.eu-west-1.on.aws';
const PATH = '/api/v1/geojsonl/lv0';
/** Far above what it has, and far below all packages. */
const BUNDLE_MAX_BYTES = 1024 * 1024;

const out = await buildCountries({ cells: true });
await buildRelease(writeCountries(), out, { release: 'r2' });
pointTo(out, 'r1', ['r1', 'r2']);

/** The folder with the file of the page, made by its line. */
const code = await (async () => {
  const [work, folder] = [temporaryFolder(), temporaryFolder()];
  for (const name of ['node_modules', 'tsconfig.json', 'format', 'proxy']) symlinkSync(resolve(name), join(work, name));
  const line = codeIn(PAGE, 'sh', 'npx esbuild')
    .split('\n')
    .find((line) => line.startsWith('npx esbuild'));
  assert.ok(line);
  // The package is this repository: its names are those of tsconfig.json.
  const command = line
    .replace('lambda.ts', 'proxy/examples/lambda/lambda.ts')
    .replace('index.mjs', join(folder, 'index.mjs'));
  const { status, text } = await runProgram('sh', ['-ec', command.replace('npx ', 'node_modules/.bin/')], {
    cwd: work,
  });
  assert.equal(status, 0, text);
  return folder;
})();

/** A function with these variables. */
async function startFunction(variables: Readonly<Record<string, string>>) {
  const events: string[] = [];
  const waiting: ServerResponse[] = [];
  const answers: ((all: Buffer) => void)[] = [];
  const next = (): void => {
    if (events.length === 0 || waiting.length === 0) return;
    waiting.shift()?.writeHead(200, { 'Lambda-Runtime-Aws-Request-Id': '1' }).end(events.shift());
  };
  const api = createServer(async (req, res) => {
    if (req.url?.endsWith('/invocation/next')) {
      waiting.push(res);
      return next();
    }
    assert.equal(req.headers['lambda-runtime-function-response-mode'], 'streaming');
    const all = await buffer(req);
    res.writeHead(202).end();
    return answers.shift()?.(all);
  });
  const env = {
    PATH: process.env['PATH'],
    AWS_LAMBDA_RUNTIME_API: `127.0.0.1:${await listen(api)}`,
    _HANDLER: 'index.handler',
    LAMBDA_TASK_ROOT: code,
    CURRENT_CACHE: '0s',
    ...variables,
  };
  const runtime = compile('test/support/processes/lambda-runtime.ts');
  const child = spawn(process.execPath, [runtime], { cwd: code, env, stdio: ['ignore', 'ignore', 'pipe'] });
  after(() => child.kill('SIGKILL'));
  let errors = '';
  child.stderr.on('data', (piece) => {
    errors += piece;
  });
  const ended = new Promise<never>((_, reject) => child.once('exit', () => reject(new Error(errors))));
  ended.catch(() => {});
  return async (path: string, headers: Readonly<Record<string, string>> = {}) => {
    const [rawPath = '', rawQueryString = ''] = path.split('?');
    const requestContext = { domainName: HOST, http: { method: 'GET' } };
    events.push(
      JSON.stringify({ version: '2.0', rawPath, rawQueryString, headers: { host: HOST, ...headers }, requestContext }),
    );
    const answer = new Promise<Buffer>((resolve) => answers.push(resolve));
    next();
    const all = await Promise.race([answer, ended]);
    const end = all.indexOf(SEPARATOR);
    const { statusCode, headers: sent } = JSON.parse(all.subarray(0, end).toString());
    return { status: statusCode, headers: sent, body: all.subarray(end + SEPARATOR.length) };
  };
}

const OWN_KEYS = { ORIGIN: out, JWKS, ISSUER, AUDIENCE };

test('one file without packages beside it serves those with a token of its own keys, through a switch of releases', async () => {
  assert.deepEqual(readdirSync(code), ['index.mjs']);
  assert.ok(statSync(join(code, 'index.mjs')).size < BUNDLE_MAX_BYTES);
  const ask = await startFunction({ ...OWN_KEYS, PUBLIC_URL: 'https://boundaries.example.org' });
  const page = await ask(`${PATH}?page-size=1`, { ...AUTHORIZED, 'accept-encoding': 'gzip' });
  assert.deepEqual([page.status, page.headers['boundaries-release']], [200, 'r1']);
  assert.equal(JSON.parse(gunzipSync(page.body).toString()).type, 'Feature');
  assert.match(page.headers['link'], /^<https:\/\/boundaries\.example\.org\/api/);
  assert.equal((await ask(PATH)).status, 401);
  pointTo(out, 'r2', ['r1', 'r2']);
  assert.equal((await ask(PATH, AUTHORIZED)).headers['boundaries-release'], 'r2');
  const [, rest = ''] = /<https:\/\/[^/]+([^>]+)>/.exec(page.headers['link']) ?? [];
  assert.deepEqual([(await ask(rest, AUTHORIZED)).headers['boundaries-release']], ['r1']);
});

test('with PUBLIC it serves everybody, from a bucket, too, and with FRONT_HEADER only what comes by way of the CDN', async () => {
  const s3 = await startS3({ folder: out, prefix: 'eu/' });
  const bucket = { ORIGIN: `s3://${BUCKET}/eu`, S3_ENDPOINT: s3.endpoint, ...S3_ENV };
  const ask = await startFunction({ ...bucket, PUBLIC: 'true', FRONT_HEADER: 'X-Front-Key: a secret: of the CDN' });
  const past = [await ask(PATH), await ask(PATH, { 'x-front-key': 'a secret' })];
  for (const { status, body } of past)
    assert.deepEqual([status, `${body}`], [403, 'ask by the public address of this service\n']);
  const { status, headers } = await ask(PATH, { 'x-front-key': 'a secret: of the CDN' });
  assert.deepEqual([status, headers['cache-control']], [200, 'public, max-age=60, stale-while-revalidate=600']);
});

test('PUBLIC is true or false, and without a variable of tokens; any other function does not start, and says why', async () => {
  const closed = await startFunction({ ...OWN_KEYS, PUBLIC: 'false' });
  assert.equal((await closed(PATH)).status, 401);
  for (const [variables, message] of [
    [{ ORIGIN: out, PUBLIC: '' }, /PUBLIC is "", neither true nor false/],
    [{ ...OWN_KEYS, PUBLIC: 'yes' }, /PUBLIC is "yes", neither true nor false/],
    [{ ...OWN_KEYS, PUBLIC: 'true' }, /PUBLIC and JWKS, ISSUER, AUDIENCE: leave out PUBLIC or the others/],
  ] as const)
    await assert.rejects(async () => (await startFunction(variables))(PATH), message);
});

test('the template has the handler, the streaming URL, the header of the CDN and the variables that the function reads', () => {
  const { Resources, Parameters } = parse(readFileSync('proxy/examples/lambda/template.yaml', 'utf8'));
  const { Handler, Environment } = Resources.Function.Properties;
  assert.equal(Handler, 'index.handler');
  assert.deepEqual(
    [Resources.Url.Properties.InvokeMode, Resources.Url.Properties.AuthType],
    ['RESPONSE_STREAM', 'NONE'],
  );
  const source = readFileSync('proxy/examples/lambda/lambda.ts', 'utf8');
  const page = readFileSync(PAGE, 'utf8');
  for (const name of Object.keys(Environment.Variables)) {
    assert.match(source, new RegExp(`\\b${name}\\b`), name);
    assert.ok(page.includes(`\`${name}\``), name);
  }
  const [header] = Resources.Distribution.Properties.DistributionConfig.Origins[0].OriginCustomHeaders;
  assert.ok(Environment.Variables.FRONT_HEADER['Fn::Sub'].startsWith(`${header.HeaderName}: `));
  const overridden = [...codeIn(PAGE, 'sh', 'cloudformation deploy').matchAll(/ (\w+)=/g)].map(([, name]) => name);
  assert.ok(overridden.length > 0);
  for (const name of overridden) assert.ok(Object.hasOwn(Parameters, name ?? ''), name);
  const { devDependencies } = JSON.parse(readFileSync('package.json', 'utf8'));
  for (const [, name = '', version] of codeIn(PAGE, 'sh', 'npx esbuild').matchAll(/ (@?[\w/-]+)@(\d[\d.]+)/g))
    assert.equal(version, devDependencies[name], name);
});
