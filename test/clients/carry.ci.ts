// carry.py on tables as people have them: what it carries, what it passes, and what it refuses by line and column.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { without } from '../support/processes/programs.ts';
import { codeIn } from '../support/readme-code.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const folder = temporaryFolder();
const CHANGES = `level,class,from_gid,to_gid,share_of_from,share_of_to
lv2,merged,a,ab,1,0.5
lv2,merged,b,ab,1,0.5
lv2,split,c,c1,0.25,1
lv2,split,c,c2,0.75,1
lv2,gone,d,,,
lv1,merged,same,other,1,1
`;
const skip = without('python3 --version');

/** Runs carry.py on a table of level 2. */
function carry(table: string, changes = CHANGES) {
  writeFileSync(join(folder, 'changes.csv'), changes);
  const file = join(folder, 'figures.csv');
  writeFileSync(file, table);
  const args = ['proxy/examples/clients/carry.py', join(folder, 'changes.csv'), 'lv2', file];
  const { status, stdout, stderr } = spawnSync('python3', args, { encoding: 'utf8' });
  return { status, stdout, said: stderr.replaceAll(`${file}: `, '') };
}

test('carry.py leaves empty what is empty, and says how many rows it carried and how many it passed', { skip }, () => {
  const { status, stdout, said } = carry('gid,people,cows\na,10,1\nb,20,\nc,8,0\nd,5,5\nsame,,7\n\n');
  assert.equal(stdout, 'gid,people,cows\nab,30,\nc1,2,0\nc2,6,0\nsame,,7\n');
  assert.equal(
    said,
    'carried: 3; passed unchanged, as no change names them: 1\nno successor: d\nfigures that are empty, or sums of such: 2\n',
  );
  assert.equal(status, 0);
});

test('carry.py reads and writes semicolons, and a byte order mark', { skip }, () => {
  const { status, stdout } = carry('\ufeffgid;people\na;10.5\n"c";8\n');
  assert.deepEqual([status, stdout], [0, 'gid;people\nab;10.5\nc1;2\nc2;6\n']);
});

test('carry.py keeps every digit: the text of what it only passes on, and of sums what their figures have', {
  skip,
}, () => {
  const table = [
    'gid,people,cents',
    'a,25123456789.55,9007199254740993',
    'b,0.05,1',
    'c,100000000000,0.3',
    'A,25123456789.55,1e3',
    'stays,007, 12345678901.50',
  ].join('\n');
  const { stdout } = carry(table);
  assert.deepEqual(stdout.split('\n'), [
    'gid,people,cents',
    'A,25123456789.55,1e3',
    'ab,25123456789.6,9007199254740994',
    'c1,25000000000,0.075',
    'c2,75000000000,0.225',
    'stays,007, 12345678901.50',
    '',
  ]);
  // Shares that are rounded: sums have no digits that come of it.
  const thirds = CHANGES.replaceAll(/,c([12]),0.[27]5/g, ',c$1,0.333333');
  assert.equal(carry('gid,people\nc,10\n', thirds).stdout, 'gid,people\nc1,5\nc2,5\n');
  const three = `${thirds}lv2,split,c,c3,0.333333,1\n`;
  assert.match(carry('gid,people\nc,10\n', three).stdout, /^c1,3\.33333333333333\d*$/m);
  assert.match(carry('gid,people\nc,30\n', three).stdout, /^c1,10$/m);
});

for (const [what, table, said] of [
  [
    'text among the figures',
    'gid,people\na,10\nb,n/a\n',
    "line 3, column people: 'n/a' is no number; leave out columns of text",
  ],
  ['a decimal comma', 'gid;people\na;1,5\n', "line 2, column people: '1,5' is no number; leave out columns of text"],
  [
    'an infinite figure',
    'gid,people\na,1e999\n',
    "line 2, column people: '1e999' is no number; leave out columns of text",
  ],
  ['nan', 'gid,people\na,snan\n', "line 2, column people: 'snan' is no number; leave out columns of text"],
  [
    'an index column of pandas',
    ',gid,people\n0,a,10\n',
    'line 1: the first column has no name; pandas leaves out its index with to_csv(index=False)',
  ],
  ['a row that is cut', 'gid,people\na\n', 'line 2: 1 columns, expected 2'],
  ['an empty file', '', 'line 1: expected a header with a column of GIDs and one of figures'],
  [
    'codes that no change names',
    'code,people\n01,1\n02,2\n',
    'no row of 2 has a GID that changed at lv2, so there is nothing to carry; does its first column, code, have the GIDs of the old release?',
  ],
] as const)
  test(`carry.py refuses ${what}, says where, writes nothing and exits with 1`, { skip }, () => {
    assert.deepEqual(carry(table), { status: 1, stdout: '', said: `${said}\n` });
  });

test('the lines for pandas carry the same', {
  skip: without("python3 -c 'import geopandas, duckdb, owslib'", 'curl --version'),
}, () => {
  const lines = codeIn('proxy/examples/clients/README.md', 'python', 'share_of_from');
  writeFileSync(join(folder, 'inhabitants.csv'), 'gid,people\na,10\nb,20\nc,8\nd,5\nsame,\nNA,3\n');
  const script = `${lines}\nprint(carried.to_csv())`;
  const { status, stdout, stderr } = spawnSync('python3', ['-c', script], { cwd: folder, encoding: 'utf8' });
  assert.equal(status, 0, stderr);
  assert.equal(stdout.trim(), 'gid,people\nNA,3.0\nab,30.0\nc1,2.0\nc2,6.0\nsame,');
});
