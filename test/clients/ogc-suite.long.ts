// OGC's own suite of OGC API - Features, on the sample as a service for everybody: nothing fails. test/README.md says
// how to have its jar.
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { startService } from '../support/http/in-process-proxy.ts';
import { INSTALLED, printedBy, without } from '../support/processes/programs.ts';
import { sampleOutput } from '../support/releases/world.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const JAR = join(INSTALLED, 'ogc', 'ets-ogcapi-features10-1.9-aio.jar');
/** All collections are tested. */
const ALL = -1;
/** Of the sample it passes 326; of a service that it cannot read it would skip most. */
const PASSED_MIN = 300;

test("OGC's own suite fails nothing of the sample", {
  skip: existsSync(JAR) ? without('java -version 2>&1') : "not available here: OGC's suite",
}, async (context) => {
  const { url } = await startService(await sampleOutput(), { isPublic: true, explorer: true });
  const folder = temporaryFolder();
  const run = join(folder, 'run.xml');
  const entries = Object.entries({ iut: `${url}/api/v1/ogc/`, noofcollections: ALL });
  const lines = entries.map(([key, value]) => `<entry key="${key}">${value}</entry>`);
  writeFileSync(run, `<properties>${lines.join('')}</properties>`);
  await printedBy('java', ['-jar', JAR, '-o', folder, run]);
  const [results = ''] = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('testng-results.xml'),
  );
  const text = readFileSync(join(folder, results), 'utf8');
  const count = (status: string): number =>
    Number(new RegExp(`<testng-results[^>]* ${status}="(\\d+)"`).exec(text)?.[1]);
  const counts = ['passed', 'failed', 'skipped'].map((status) => `${count(status)} ${status}`).join(', ');
  context.diagnostic(counts);
  const failed = text.match(/<test-method (?=[^>]*status="FAIL")[^>]*>/g) ?? [];
  assert.deepEqual([count('failed'), failed], [0, []], counts);
  assert.ok(count('passed') >= PASSED_MIN, counts);
});
