// Run by crash.ci.ts in a process of its own: builds a release and kills itself before the nth file operation, or,
// with `end`, after the last one.
import { buildUnchecked, ONE_OTHER } from '../releases/build-release.ts';
import { interceptFiles } from './faulty-fs.ts';
// A build loads these when it first needs them; reading them is not to be counted.
import '../../../generator/source/level-sources.ts';
import '../../../generator/read/store-level.ts';
import '../../../generator/write/finalize.ts';
import '../../../generator/write/write-files.ts';

const [source = '', out = '', release = '', last = ''] = process.argv.slice(2);
const kill = (): void => void process.kill(process.pid, 'SIGKILL');
interceptFiles((n) => {
  if (n === Number(last)) kill();
});
await buildUnchecked(source, out, { ...ONE_OTHER, release });
if (last === 'end') kill();
