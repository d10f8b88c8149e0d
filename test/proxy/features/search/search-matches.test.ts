// GET /api/v1/search: how each unit was found, by codes, by forms of names, by parts of the text, and what is above it.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { contentOptionsFrom } from '../../../../generator/options/option-texts.ts';
import { squares, writeDataset } from '../../../support/datasets/write-dataset.ts';
import { send, textOf } from '../../../support/http/http-client.ts';
import { startService } from '../../../support/http/in-process-proxy.ts';
import { buildRelease } from '../../../support/releases/build-release.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

const folder = temporaryFolder();

/** The municipalities: their parents by number, name and INE code. */
const MUNICIPALITIES: readonly [community: string, province: string, name: string, code: string | null][] = [
  ['1', '15', 'A Coruña', '15030'],
  ['1', '15', 'Laxe', '15040'],
  ['1', '15', 'La', 'US'],
  ['2', '03', 'Elx/Elche', '03065'],
  ['2', '02', 'Elche de la Sierra', '02030'],
  ['3', '20', 'Donostia/San Sebastián', '20069'],
  ['4', '28', 'San Sebastián de los Reyes', '28134'],
  ['4', '28', 'Las Rozas de Madrid', '28127'],
  ['4', '28', "Hospitalet, L'", '08101'],
  ['4', '28', 'Madrid', '28079'],
  ['4', '28', 'Ceuta', 'ab-1'],
];
const PROVINCES: readonly [community: string, code: string, name: string, others: string][] = [
  ['1', '15', 'A Coruña', 'La Coruña|Corunna'],
  ['2', '03', 'Alacant', 'Alicante'],
  ['2', '02', 'Albacete', 'NA'],
  ['3', '20', 'Gipuzkoa', 'NA'],
  ['4', '28', 'Madrid', 'NA'],
];

const source = writeDataset(join(folder, 'spain.gpkg'), 'GPKG', [
  squares(
    'ADM_0',
    ['GID_0', 'COUNTRY', 'NAME_ES', 'ISO', 'NUM'],
    ['ESP', 'Spain', 'España', 'ES', '724'],
    ['USA', 'United States', null, 'US', 'ES'],
  ),
  squares(
    'ADM_1',
    ['GID_0', 'GID_1', 'NAME_1', 'CODE'],
    ['ESP', 'ESP.1', 'Galicia', '12'],
    ['ESP', 'ESP.2', 'Levante', '-99'],
    ['ESP', 'ESP.3', 'Euskadi', '16'],
    ['ESP', 'ESP.4', null, '13'],
  ),
  squares(
    'ADM_2',
    ['GID_0', 'GID_1', 'GID_2', 'NAME_2', 'VARNAME_2', 'CODE'],
    ...PROVINCES.map(([community, code, name, others]) => ['ESP', `ESP.${community}`, `P.${code}`, name, others, code]),
    ['USA', null, 'U.1', 'Leake', 'NA', '28079'],
  ),
  squares(
    'ADM_3',
    ['GID_0', 'GID_1', 'GID_2', 'GID_3', 'NAME_3', 'CODE'],
    ...MUNICIPALITIES.map(([community, province, name, code]) => [
      'ESP',
      `ESP.${community}`,
      `P.${province}`,
      name === 'Ceuta' ? '28079x' : `M.${code}`,
      name,
      code,
    ]),
  ),
]);
const out = join(folder, 'out');
await buildRelease(source, out, {
  ...contentOptionsFrom({
    'name-column': ['lv0:es=NAME_ES'],
    'code-column': ['lv0:iso2=ISO', 'lv0:num=NUM', 'lv1,lv2,lv3:ine=CODE'],
    accept: ['null-gids'],
  }),
  tiles: undefined,
});
const service = await startService(out);

const ELCHE = 'start, lv3, Elche de la Sierra, Albacete, Levante, Spain';

/** The units of a search: how each was found, level, name, parents. */
async function found(query: string, more = ''): Promise<string[]> {
  const text = textOf(await send(service, `/api/v1/search?q=${encodeURIComponent(query)}${more}`));
  const { levels, names, matches, parents } = JSON.parse(text);
  assert.deepEqual([matches.length, parents.length], [levels.length, levels.length], text);
  return matches.map((match: string, i: number) =>
    [match, levels[i], ...(names[i] === null ? [] : [names[i]]), ...parents[i].toReversed()].join(', '),
  );
}

test('a unit is found by its code as it is or in capitals, those of the lowest level first', async () => {
  for (const [query, ...expected] of [
    ['28079', 'code, lv3, Madrid, Madrid, Spain', 'code, lv2, Leake, United States'],
    // Of one key of a level, or of another.
    ['es', 'code, lv0, Spain', 'code, lv0, United States'],
    ['724', 'code, lv0, Spain'],
    ['AB-1'],
    ['ab-1', 'code, lv3, Ceuta, Madrid, Spain'],
    // Its GID and a code of others.
    ['28079x', 'code, lv3, Ceuta, Madrid, Spain'],
    // As cells of tables are pasted.
    [' ab-1\n', 'code, lv3, Ceuta, Madrid, Spain'],
    ['28079x ', 'code, lv3, Ceuta, Madrid, Spain'],
    // A code is whole, as it is written.
    ['2807'],
    ['3065'],
    ['03065', 'code, lv3, Elx/Elche, Alacant, Levante, Spain'],
    ['-99'],
    ['US', 'code, lv3, La, A Coruña, Galicia, Spain', 'code, lv0, United States'],
  ] as const)
    assert.deepEqual(await found(query), expected, query);
  assert.deepEqual(await found('28079', '&gid-0=USA'), ['code, lv2, Leake, United States']);
  assert.deepEqual(await found('28079', '&level=lv2&limit=1'), ['code, lv2, Leake, United States']);
});

test('names between slashes, other names, and articles at the end of a name or of the text are whole names', async () => {
  for (const [query, first] of [
    ['Elche', 'name, lv3, Elx/Elche, Alacant, Levante, Spain'],
    ['Elche/Elx', 'name, lv3, Elx/Elche, Alacant, Levante, Spain'],
    ['San Sebastián', 'name, lv3, Donostia/San Sebastián, Gipuzkoa, Euskadi, Spain'],
    ['Rozas de Madrid, Las', 'name, lv3, Las Rozas de Madrid, Madrid, Spain'],
    ["L'Hospitalet", "name, lv3, Hospitalet, L', Madrid, Spain"],
    ['La Coruña', 'name, lv2, A Coruña, Galicia, Spain'],
    ['Espana', 'name, lv0, Spain'],
  ] as const)
    assert.equal((await found(query))[0], first, query);
});

test('of the names between slashes of a text the first four are looked up, each once', async () => {
  const names = (count: number): string => Array.from({ length: count }, (_, i) => `x${i % 7}`).join('/');
  assert.deepEqual(await found(`${names(3)}/Elche`), ['name, lv3, Elx/Elche, Alacant, Levante, Spain', ELCHE]);
  assert.deepEqual(await found(`${names(4)}/Elche`), []);
  assert.deepEqual(await found('x/X/x/x/x/Elche'), ['name, lv3, Elx/Elche, Alacant, Levante, Spain', ELCHE]);
});

test('what stands before words of parents has four letters, or is a whole name', async () => {
  for (const [query, ...expected] of [
    ['la galicia', 'divided, lv3, La, A Coruña, Galicia, Spain'],
    ['lax galicia'],
    ['laxe galicia', 'divided, lv3, Laxe, A Coruña, Galicia, Spain'],
    ['san seba euskadi', 'divided, lv3, Donostia/San Sebastián, Gipuzkoa, Euskadi, Spain'],
  ] as const)
    assert.deepEqual(await found(query), expected, query);
  const short = await send(service, '/api/v1/search?q=la%20galicia&limit=1');
  assert.equal(short.headers['boundaries-matched'], '1');
});

test('the beginning of a name and of a word inside are told apart', async () => {
  assert.deepEqual(await found('elc'), [
    'start, lv3, Elx/Elche, Alacant, Levante, Spain',
    'start, lv3, Elche de la Sierra, Albacete, Levante, Spain',
  ]);
  assert.deepEqual(await found('sierra'), ['word, lv3, Elche de la Sierra, Albacete, Levante, Spain']);
});

test('parents have names in the language that is asked for, and are left out where there is no name', async () => {
  assert.deepEqual(await found('28127', '&lang=es'), ['code, lv3, Las Rozas de Madrid, Madrid, España']);
});
