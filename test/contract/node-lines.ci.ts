// The proxy on the other lines of Node, two processes of each, answers as on this one.
import { existsSync } from 'node:fs';
import { test } from 'node:test';
import { programOf } from '../../.setup/other-node.js';
import { testAsDirectory } from './compare.ts';
import { inTwoProcesses } from './setups.ts';

const LINES = [22, 24, 26];

const there = LINES.filter((line) => existsSync(programOf(line)));

await testAsDirectory(
  there.map((line) => {
    const setup = inTwoProcesses('directory', 'all', programOf(line));
    return { ...setup, name: `Node ${line}, ${setup.name}` };
  }),
);

for (const line of LINES.filter((other) => !there.includes(other)))
  test(`Node ${line}`, { skip: `Node ${line} is not installed: node .setup/other-node.js ${line}` }, () => {});
