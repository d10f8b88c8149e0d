// `npm run soak -- --minutes 60`: prints a line for each interval, and fails if an answer is wrong or memory or
// descriptors grow.
import yargs from 'yargs';
import { hideBin } from 'yargs/helpers';
import { errorText, soak } from './soak.ts';

const { minutes, seconds, clients, seed } = yargs(hideBin(process.argv))
  .usage(
    'npm run soak -- [options]\n\nTwo proxies under mixed traffic, while releases and keys change and a host fails.',
  )
  .option('minutes', { type: 'number', default: 60, describe: 'how long; under 9 intervals, growth is not judged' })
  .option('seconds', { type: 'number', default: 60, describe: 'traffic between two readings' })
  .option('clients', { type: 'number', default: 16, describe: 'clients at a time' })
  .option('seed', { type: 'number', default: 1, describe: 'of what is drawn at random' })
  .strict()
  .check(({ minutes, seconds, clients, seed }) => {
    if (![seconds, clients, seed].every((value) => Number.isInteger(value) && value > 0) || !(minutes > 0))
      throw new Error('--minutes takes a number above 0, the other options whole numbers from 1 on');
    return true;
  })
  .parseSync();

const intervals = Math.max(1, Math.round((minutes * 60) / seconds));
const result = await soak({ intervals, length: { seconds }, clients, seed }, (line) => console.log(line));
const { requests, switches, rotations, hostFailures, errors, wrong, growth } = result;
console.log(
  `${requests} requests, ${switches} switches of releases, ${rotations} of keys, ${hostFailures} failures of the host`,
);
console.log(`errors that a client must be ready for: ${errorText(errors)}`);
console.log(`wrong: ${wrong.length}`);
if (growth === undefined) console.log('too short to say whether memory or descriptors grow');
else console.log(growth.length === 0 ? 'neither memory nor descriptors grow' : `grows: ${growth.join('; ')}`);
if (wrong.length > 0 || (growth?.length ?? 0) > 0) process.exitCode = 1;
