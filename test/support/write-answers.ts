// Writes the answers of proxy/site/questions.ts anew, as the sample gives them. Not a test. `npm run fix` then writes
// those of proxy/README.md.
//   node .setup/with-gdal.js --import tsx test/support/write-answers.ts
import { readFileSync, writeFileSync } from 'node:fs';
import { QUESTIONS } from '../../proxy/site/questions.ts';
import { endFile } from './after.ts';
import { startService } from './http/in-process-proxy.ts';
import { sampleOutput } from './releases/world.ts';
import { shownAnswer } from './shown-answer.ts';

const FILE = 'proxy/site/questions.ts';

const service = await startService(await sampleOutput(), { explorer: true });
let text = readFileSync(FILE, 'utf8');
for (const question of QUESTIONS) {
  const start = `target: '${question.target}',\n    answer: `;
  const written = (answer: string): string => `${start}\`${answer.replace(/[\\`]|\$(?=\{)/g, '\\$&')}\``;
  const answer = await shownAnswer(service, question);
  text = text.replace(written(question.answer), () => written(answer));
}
writeFileSync(FILE, text);
await endFile();
