// Records what the service answers, to compare two versions that should answer the same: run in a checkout of each as
// `node --import tsx test/contract/record.ts FOLDER`, then `diff -r` the folders. A line for each exchange, and each
// question of the sample: what was asked, status, headers but those of the moment, and the SHA-256 of the body.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { elementAt } from '../../format/element-at.ts';
import { QUESTIONS } from '../../proxy/site/questions.ts';
import { endFile } from '../support/after.ts';
import { sha256 } from '../support/files.ts';
import { type Answer, send } from '../support/http/http-client.ts';
import { startService } from '../support/http/in-process-proxy.ts';
import { sampleOutput } from '../support/releases/world.ts';
import { HOPS, record } from './compare.ts';
import { DIRECTORY } from './setups.ts';
import { prepareWorld } from './world.ts';

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error('usage: node --import tsx test/contract/record.ts FOLDER');
mkdirSync(folder, { recursive: true });

/** The headers in order: a request is not told apart by theirs. */
function lineOf(asked: string, { status, headers, body }: Answer): string {
  const lasting = Object.entries(headers).filter(([name]) => !HOPS.includes(name));
  return `${JSON.stringify([asked, status, Object.fromEntries(lasting.sort()), sha256(body)])}\n`;
}

const world = await prepareWorld(DIRECTORY);
for (const [i, { exchanges, answers }] of (await record(world, world.stored)).entries()) {
  const lines = exchanges.map(({ method = 'GET', path, headers = {} }, at) =>
    lineOf(`${method} ${path} ${JSON.stringify(headers)}`, elementAt(answers, at)),
  );
  writeFileSync(join(folder, `stage-${i}.jsonl`), lines.join(''));
}

/** As browsers and as programs without compression ask. */
const CODINGS = ['gzip', 'identity'];
const sample = await startService(await sampleOutput());
const lines: string[] = [];
for (const { target } of QUESTIONS)
  for (const coding of CODINGS) {
    const answer = await send(sample, target, { host: 'boundaries.test', 'accept-encoding': coding });
    lines.push(lineOf(`GET ${target} ${coding}`, answer));
  }
writeFileSync(join(folder, 'sample.jsonl'), lines.join(''));
await endFile();
