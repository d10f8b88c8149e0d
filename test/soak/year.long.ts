// A year of an operator under a steady load, `npm run year`: what is lost is what no second proxy could answer.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { missing } from '../support/processes/nginx-varnish.ts';
import { without } from '../support/processes/programs.ts';
import { year } from './year.ts';

test('in a year of releases, ways back, restarts, outages and leaks no request is lost but those for a damaged file', {
  skip: missing('nginx') || without('rclone version', 'flock --version', 'test -e /proc/self/task'),
}, async (t) => {
  const steps = await year((line) => t.diagnostic(line));
  const lost = steps.filter(({ lost }) => lost > 0).map(({ name }) => name);
  assert.deepEqual(
    lost.filter((name) => !name.startsWith('a damaged file')),
    [],
  );
});
