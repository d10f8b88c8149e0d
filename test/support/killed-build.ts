// Run by crash.test.ts in a process of its own: builds a release and kills itself at the nth file operation.
import { interceptFiles } from './faulty-fs.ts';
import { buildRelease } from './fixture.ts';
// A build loads these when it first needs them; reading them is not to be counted.
import '../../generator/source/describe.ts';
import '../../generator/pages/read-features.ts';
import '../../generator/pages/finalize.ts';
import '../../generator/pages/write-shard.ts';

const [source = '', out = '', release = '', last = ''] = process.argv.slice(2);
interceptFiles((n) => {
  if (n === Number(last)) process.kill(process.pid, 'SIGKILL');
});
await buildRelease(source, out, { release });
