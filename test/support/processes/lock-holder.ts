// Run by builders.ci.ts and two-nodes.long.ts in a process of its own: holds the lock of an output folder until its
// standard input ends.
import { takeLock } from '../../../generator/release/output-lock.ts';

const [out = ''] = process.argv.slice(2);
const lock = takeLock(out);
process.stdout.write('held');
process.stdin.resume().on('end', () => lock.release());
