// New key pairs, in a process that collects garbage often: with the keys that Node 20 generates it hangs after some
// thousand exports.
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';

const PAIRS = 10_000;
const LIMIT_MS = 120_000;

test('ten thousand key pairs are exported without hanging', () => {
  const module = pathToFileURL('proxy/auth/key-pair.ts').href;
  const program = `const { newKeyPair } = await import(${JSON.stringify(module)});
    for (let i = 0; i < ${PAIRS}; i++) for (const key of Object.values(newKeyPair())) key.export({ format: 'jwk' });`;
  const flags = ['--max-semi-space-size=1', '--min-semi-space-size=1', '--import', 'tsx', '--input-type=module'];
  execFileSync(process.execPath, [...flags, '--eval', program], { timeout: LIMIT_MS, killSignal: 'SIGKILL' });
});
