// schemathesis reads both documents and sends what they allow, and what they do not, to the sample as it is served.
// Everything that it finds is wrong in a document or in the service, but for the false alarms of this list.
import assert from 'node:assert/strict';
import { createReadStream, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { LEVELS } from '../../format/levels.ts';
import { AUTHORIZED, startService } from '../support/http/in-process-proxy.ts';
import { runProgram, without } from '../support/processes/programs.ts';
import { sampleOutput } from '../support/releases/world.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** Cases that it draws for each path and level, besides those that it derives of the schemas. */
const CASES = 25;

/** Its file of options: a path with a level has the cases of all levels. */
const OPTIONS = `generation.max-examples = ${CASES}
generation.deterministic = true

[[operations]]
include-path-regex = '\\{level\\}'
generation.max-examples = ${CASES * LEVELS.length}
`;

interface Finding {
  check: string;
  message: string;
  uri: string;
  status: number;
  /** That of the problem, if it is one. */
  detail: string;
}

/** What is allowed by the document and refused, or the other way round, and right nevertheless. */
const FALSE_ALARMS: readonly { why: string; check: string; is(finding: Finding): boolean }[] = [
  {
    why: 'OGC 17-069r4 (fc-limit-response-1) wants no error for a limit above the maximum',
    check: 'negative_data_rejection',
    is: ({ uri, message }) => /\/ogc\//.test(uri) && /`limit`/.test(message) && /[?&]limit=\d{5,}(&|$)/.test(uri),
  },
  {
    why: 'it knows not every status by which a request is refused',
    check: 'negative_data_rejection',
    is: ({ status }) => status === 410 || status === 414,
  },
  {
    why: 'JSON Schema cannot compare the south of a box with its north',
    check: 'positive_data_acceptance',
    is: ({ detail }) => /^bbox is .*, whose south is greater than its north\./.test(detail),
  },
  {
    why: 'a list of numbers has no bounds for each place: OGC has its box as one',
    check: 'positive_data_acceptance',
    is: ({ uri, detail }) => /\/ogc\//.test(uri) && /^bbox is .* is no (longitude|latitude)\./.test(detail),
  },
  {
    why: 'a pattern does not know the days of months, leap seconds and which of two instants is later',
    check: 'positive_data_acceptance',
    is: ({ detail }) => /^datetime is /.test(detail),
  },
  {
    why: 'OpenAPI cannot say that one parameter excludes or needs another one: the description does',
    check: 'positive_data_acceptance',
    is: ({ detail }) =>
      /^start-at and start-after cannot be combined\.|^gid-\d is not a filter of lv\d\.|^level needs gid\./.test(
        detail,
      ),
  },
  {
    why: 'the levels are in any order, each once: the description says so',
    check: 'positive_data_acceptance',
    is: ({ detail }) => /^level is "lv[0-5](,lv[0-5])+"/.test(detail),
  },
  {
    why: 'a cursor has a checksum',
    check: 'positive_data_acceptance',
    is: ({ detail }) => /^start-(at|after) is "c_.*, which is neither a fid nor an undamaged cursor\./.test(detail),
  },
  {
    why: 'which releases are hosted, and which columns and languages they have, is known of the service',
    check: 'positive_data_acceptance',
    is: ({ uri, status, detail }) =>
      /^lang is ".*"\. Allowed: /s.test(detail) ||
      (status === 410 && /[?&](release|v)=/.test(uri)) ||
      (/\/ogc\//.test(uri) && / is not a parameter\./.test(detail)),
  },
];

interface Interaction {
  request: { uri: string };
  response?: { status_code: number; content?: { $base64?: string } };
}
interface Recorder {
  checks: Record<
    string,
    { name: string; status: string; failure_info?: { failure: { title: string; message: string } } }[]
  >;
  interactions: Record<string, Interaction>;
}
interface Event {
  ScenarioFinished?: { recorder: Recorder };
  NonFatalError?: unknown;
  FatalError?: unknown;
  EngineFinished?: { stop_reason: string };
}

/** Everything that it found, and how many cases it tried. */
async function readReport(file: string): Promise<{ cases: number; findings: Finding[] }> {
  const findings: Finding[] = [];
  let cases = 0;
  let end: string | undefined;
  for await (const line of createInterface({ input: createReadStream(file), crlfDelay: Number.POSITIVE_INFINITY })) {
    const { ScenarioFinished, NonFatalError, FatalError, EngineFinished }: Event = JSON.parse(line);
    assert.ok(NonFatalError === undefined && FatalError === undefined, line.slice(0, 2000));
    end ??= EngineFinished?.stop_reason;
    const { checks = {}, interactions = {} } = ScenarioFinished?.recorder ?? {};
    for (const [id, made] of Object.entries(checks)) {
      cases++;
      for (const { name, status, failure_info: info } of made)
        if (status !== 'success') findings.push(findingOf(name, info?.failure, interactions[id]));
    }
  }
  assert.equal(end, 'completed');
  return { cases, findings };
}

function findingOf(check: string, failure = { title: '', message: '' }, interaction?: Interaction): Finding {
  const { status_code: status = 0, content } = interaction?.response ?? {};
  const text = Buffer.from(content?.$base64 ?? '', 'base64').toString();
  const detail = text.startsWith('{"type":"urn:') ? String(JSON.parse(text).detail) : '';
  return {
    check,
    message: `${failure.title}: ${failure.message}`,
    uri: interaction?.request.uri ?? '',
    status,
    detail,
  };
}

for (const document of ['/openapi.json', '/api/v1/ogc/api'])
  test(`a fuzzer finds nothing in ${document} but what is a false alarm`, {
    skip: without('schemathesis --version'),
  }, async (context) => {
    const { url } = await startService(await sampleOutput());
    const folder = temporaryFolder();
    const file = join(folder, 'report.ndjson');
    writeFileSync(join(folder, 'schemathesis.toml'), OPTIONS);
    const report = ['--continue-on-failure', '--no-color', '--report', 'ndjson', '--report-ndjson-path', file];
    const token = ['--header', `Authorization: ${AUTHORIZED.authorization}`];
    const run = ['run', url + document, ...token, ...report];
    const { status, text } = await runProgram('schemathesis', run, { cwd: folder });
    // 1: it found something.
    assert.ok(status === 0 || status === 1, text);
    const { cases, findings } = await readReport(file);
    assert.ok(cases > 1000, `${cases} cases`);
    const others = findings.filter((one) => !FALSE_ALARMS.some(({ check, is }) => check === one.check && is(one)));
    context.diagnostic(`${cases} cases, ${findings.length} false alarms and others`);
    assert.deepEqual(others.slice(0, 20), [], `${others.length} findings of ${cases} cases`);
  });
