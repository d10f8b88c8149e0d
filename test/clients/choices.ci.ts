// Choices of an XLSForm, made by the recipe as it is printed and compiled by pyxform.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { squares } from '../support/datasets/write-dataset.ts';
import { startService } from '../support/http/in-process-proxy.ts';
import { without } from '../support/processes/programs.ts';
import { recipesFor } from '../support/processes/recipes.ts';
import { codeIn } from '../support/readme-code.ts';
import { buildCountries, buildLayers } from '../support/releases/build-release.ts';

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

const COMMAND = codeIn('proxy/examples/clients/README.md', 'sh', 'choices.py');

test('the choices of Kobo and ODK compile: each unit once, in its list, with its parent', {
  skip: without('python3 --version', "python3 -c 'import pyxform'"),
}, async () => {
  const { sh, python } = recipesFor(await startService(await buildCountries()));
  await sh(COMMAND);
  const text = await python(COMPILE);
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
    await assert.rejects(recipesFor({ url }).sh(COMMAND), problem);
  }
});
