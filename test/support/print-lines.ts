// `npm run lines`: the files of a page in the order of a request, with their lines of code and the sums.
import { join } from 'node:path';
import { coreFiles, linesOfCode, problemsOfSteps, STEPS } from './page-path.ts';

const problems = problemsOfSteps();
if (problems.length > 0) throw new Error(problems.join('\n'));
const core = new Set(coreFiles());
const sums = { core: 0, adapter: 0 };
for (const file of STEPS.flatMap(([, files]) => files.map((name) => join('proxy', name)))) {
  const lines = linesOfCode(file);
  sums[core.has(file) ? 'core' : 'adapter'] += lines;
  console.log(`${String(lines).padStart(6)}  ${file}`);
}
console.log(
  `${String(sums.core).padStart(6)}  the core\n${String(sums.adapter).padStart(6)}  the adapter of node:http`,
);
