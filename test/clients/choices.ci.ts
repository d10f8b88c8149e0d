// Choices of an XLSForm, made by the recipe as it is printed and compiled by pyxform.
import assert from 'node:assert/strict';
import { symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { test } from 'node:test';
import { squares } from '../support/datasets/write-dataset.ts';
import { startService, TOKEN } from '../support/http/in-process-proxy.ts';
import { type Ended, runProgram, without } from '../support/processes/programs.ts';
import { codeIn } from '../support/readme-code.ts';
import { buildCountries, buildLayers } from '../support/releases/build-release.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const README = 'proxy/examples/clients/README.md';
const countries = await startService(await buildCountries());

/** Compiles a form with the lists of the README and the choices that were written. */
const COMPILE = `
import csv, sys
from pyxform.xls2xform import convert

choices = list(csv.DictReader(open('choices.csv', encoding='utf-8')))
survey = [
    {'type': 'select_one lv0', 'name': 'country', 'label': 'Country'},
    {'type': 'select_one lv1', 'name': 'region', 'label': 'Region', 'choice_filter': 'parent=\${country}'},
    {'type': 'select_one lv2', 'name': 'province', 'label': 'Province', 'choice_filter': 'parent=\${region}'},
]
sys.stdout.reconfigure(encoding='utf-8')
print(convert({'survey': survey, 'choices': choices}, pretty_print=False, form_name='places').xform)
`;

/** Runs the command of the README in a folder of its own. */
async function typed(url: string): Promise<{ ended: Ended; cwd: string }> {
  const cwd = temporaryFolder();
  symlinkSync(resolve('proxy'), join(cwd, 'proxy'));
  const command = codeIn(README, 'sh', 'choices.py').replace('http://127.0.0.1:8080', url);
  return { ended: await runProgram('sh', ['-ec', command], { cwd, env: { ...process.env, TOKEN } }), cwd };
}

test('the choices of Kobo and ODK compile: each unit once, in its list, with its parent', {
  skip: without('python3 --version', "python3 -c 'import pyxform'"),
}, async () => {
  const { ended, cwd } = await typed(countries.url);
  assert.equal(ended.status, 0, ended.text);
  writeFileSync(join(cwd, 'compile.py'), COMPILE);
  const { status, text } = await runProgram('python3', ['compile.py'], { cwd });
  assert.equal(status, 0, text);
  const items = [...text.matchAll(/<item>(.*?)<\/item>/g)].map(([, item = '']) =>
    ['name', 'label', 'parent'].map((member) => new RegExp(`<${member}>(.*?)</${member}>`).exec(item)?.[1]),
  );
  assert.deepEqual(items, [
    ['AAA', 'Aland', ''],
    ['BBB', 'Beland', ''],
    ['BBB.1_1', 'All', 'BBB'],
    ['AAA.1_1', 'North', 'AAA'],
    ['AAA.2_1', 'South', 'AAA'],
    ['AAA.1.1_1', 'Næst', 'AAA.1_1'],
    ['AAA.2.1_1', 'Søst', 'AAA.2_1'],
    ['AAA.1.2_1', 'Wüst "late"', 'AAA.1_1'],
    ['BBB.1.1_1', '東', 'BBB.1_1'],
  ]);
  assert.match(text, /nodeset="instance\('lv1'\)\/root\/item\[parent=\s*\/places\/country\s*\]"/);
});

test('a GID that can be no choice is refused, with the name of its unit', {
  skip: without('python3 --version'),
}, async () => {
  for (const [units, problem] of [
    [[['A A', 'Aland']], /lv0: the GID "A A" \(Aland\) has a space, which no choice may have/],
    [
      [
        ['AAA', 'Aland'],
        ['AAA', 'Again'],
      ],
      /lv0: several units have the GID "AAA" \(Aland\)/,
    ],
  ] as const) {
    const layers = [squares('ADM_0', ['GID_0', 'NAME_0'], ...units.map((row) => [...row]))];
    const { url } = await startService(await buildLayers(layers, { accept: ['duplicate-gids'] }));
    const { status, text } = (await typed(url)).ended;
    assert.notEqual(status, 0);
    assert.match(text, problem);
  }
});
