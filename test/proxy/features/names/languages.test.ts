// Names in languages: `lang` of /at and /search, and what GET /api/v1/ says of languages and codes.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { contentOptionsFrom } from '../../../../generator/options/option-texts.ts';
import { Releases } from '../../../../proxy/data/hosted-releases.ts';
import { LANG, Languages } from '../../../../proxy/features/names/languages.ts';
import { NAMES } from '../../../../proxy/features/names/level-names.ts';
import { directoryOrigin } from '../../../../proxy/origin/directory.ts';
import { layerOf, square } from '../../../support/datasets/write-dataset.ts';
import { refusal, send, textOf } from '../../../support/http/http-client.ts';
import { startService } from '../../../support/http/in-process-proxy.ts';
import { buildLayers } from '../../../support/releases/build-release.ts';
import { pointTo } from '../../../support/releases/point-to.ts';

const LONG = 'é'.repeat(10_000);
const LAYERS = [
  layerOf(
    'ADM_0',
    ['GID_0', 'NAME_0', 'NAME_FR', 'NAME_AR', 'NAME_BR', 'ISO'],
    [
      [['EGY', 'Egypt', 'Égypte', 'مصر', 'Egito', 'EG'], square(0, 0)],
      [['FJI', 'Fiji', null, '', LONG, '-99'], square(1, 0)],
      [['NUL', null, null, 'لا', null, null], square(2, 0)],
    ],
  ),
  layerOf('ADM_1', ['GID_0', 'GID_1', 'NAME_1'], [[['EGY', 'EGY.1', 'Cairo'], square(0, 0)]]),
];
const OPTIONS = contentOptionsFrom({
  'name-column': ['lv0:fr=NAME_FR', 'lv0:ar=NAME_AR', 'lv0:pt-br=NAME_BR'],
  'code-column': ['lv0:iso2=ISO'],
});
const folder = await buildLayers(LAYERS, { ...OPTIONS, cells: true });
const service = await startService(folder);

/** A query for a language. */
function asking(lang: string) {
  return { given: [{ name: LANG.name, text: lang, parameter: LANG, value: lang }] };
}

async function namesOf(path: string): Promise<unknown> {
  return JSON.parse(textOf(await send(service, `/api/v1/${path}`))).names;
}

test('names are in the language that is asked for, in any case of its tag, and default names where there is none', async () => {
  for (const [lang, names] of [
    ['', ['Egypt', 'Cairo']],
    ['&lang=fr', ['Égypte', 'Cairo']],
    ['&lang=AR', ['مصر', 'Cairo']],
    ['&lang=PT-br', ['Egito', 'Cairo']],
  ] as const)
    assert.deepEqual(await namesOf(`at?point=0.5,0.5${lang}`), names, lang);
  assert.deepEqual(await namesOf('at?point=1.5,0.5&lang=fr'), ['Fiji']);
  assert.deepEqual(await namesOf('at?point=1.5,0.5&lang=pt-BR'), [LONG]);
  assert.deepEqual(await namesOf('at?point=2.5,0.5&lang=fr'), [null]);
  assert.deepEqual(await namesOf('at?point=2.5,0.5&lang=ar'), ['لا']);
});

test('a search finds names of every language, whatever language its answer is in', async () => {
  for (const [q, lang, names] of [
    ['égypte', '', ['Egypt']],
    ['مصر', '&lang=fr', ['Égypte']],
    ['egypt', '&lang=ar', ['مصر']],
  ] as const)
    assert.deepEqual(await namesOf(`search?q=${encodeURIComponent(q)}&level=lv0${lang}`), names, q);
});

test('a language that the release does not have is refused with those that it has: also one with a region, and no tag', async () => {
  for (const path of ['at?point=0.5,0.5', 'search?q=cairo'])
    for (const lang of ['de', 'pt', 'fr-FR', 'fr_FR', '%D9%85', '*', '__proto__', 'x'.repeat(200)]) {
      const detail = refusal(await send(service, `/api/v1/${path}&lang=${lang}`), 400, 'bad-parameter');
      assert.match(detail, /^lang is ".*"\. Allowed: ar, fr, pt-BR\.$/);
    }
  const empty = refusal(await send(service, '/api/v1/at?point=0.5,0.5&lang='), 400, 'bad-parameter');
  assert.match(empty, /^lang is empty\. Allowed: .*`languages` of GET \/api\/v1\//);
  const without = await startService(await buildLayers(LAYERS, { cells: true }));
  const none = refusal(await send(without, '/api/v1/at?point=0.5,0.5&lang=fr'), 400, 'bad-parameter');
  assert.match(none, /Allowed: none/);
});

test('the service says its languages, and which columns have names in languages and codes', async () => {
  const { languages, levels } = JSON.parse(textOf(await send(service, '/api/v1/')));
  assert.deepEqual(languages, ['ar', 'fr', 'pt-BR']);
  const [{ names, codes }, lv1] = levels.map(({ columns }: { columns: object }) => columns);
  assert.deepEqual([names, codes], [{ ar: 'NAME_AR', fr: 'NAME_FR', 'pt-BR': 'NAME_BR' }, { iso2: 'ISO' }]);
  assert.deepEqual([lv1.names, lv1.codes], [{}, {}]);
});

test('of a level the names of the two languages that were used last stay in memory, also in the next release', async () => {
  await buildLayers(LAYERS, { ...OPTIONS, cells: true, release: 'r2' }, folder);
  pointTo(folder, 'r1', ['r1', 'r2']);
  const releases = new Releases(directoryOrigin(folder));
  await releases.refresh();
  const level = await releases.requireCurrent().load(0);
  const languages = new Languages();
  const [ar, fr, br] = ['ar', 'fr', 'pt-BR'].map(
    (lang) => languages.asked(asking(lang), releases.requireCurrent()) ?? assert.fail(),
  );
  assert.ok(ar !== undefined && fr !== undefined && br !== undefined);
  assert.equal(languages.asked(asking('AR'), releases.requireCurrent()), ar);
  await level.load(NAMES);
  await level.load(ar);
  await level.load(fr);
  assert.notEqual(level.get(ar), undefined);
  await level.load(br);
  assert.deepEqual(
    [level.get(ar), level.get(fr), level.get(br), level.get(NAMES)].map((part) => part !== undefined),
    [true, false, true, true],
  );
  pointTo(folder, 'r2', ['r1', 'r2']);
  const refreshed = releases.refresh();
  while (releases.current?.id === 'r1') await setImmediate();
  await refreshed;
  const next = releases.requireCurrent().get(0) ?? assert.fail();
  assert.deepEqual(
    [ar, fr, br].map((part) => next.get(part) !== undefined),
    [true, false, true],
  );
});
