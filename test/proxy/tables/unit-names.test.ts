// The names of a level's units, as `points` reads them: columns by the header, and what is refused of a file that is cut.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NAME_FIELDS } from '../../../format/names.ts';
import { namesHeader } from '../../../format/write/texts.ts';
import { unitNames } from '../../../proxy/tables/unit-names.ts';

test('names have their columns by the header: in another order, and among others', () => {
  const units = [
    { fid: 1, gid: 'A', name: 'Łódź', type: null },
    { fid: 7, gid: null, name: '', type: 'City' },
  ];
  for (const text of [
    `${namesHeader()}[1,"A","Łódź",null,null,0]\n[7,null,"","City","A",2]\n`,
    `${JSON.stringify([...NAME_FIELDS, 'colour', 'area'])}\n[1,"A","Łódź",null,null,0,5,[1,2]]\n[7,null,"","City","A",2,1,null]\n`,
    '["view","type","name","gid","fid"]\n[{},null,"Łódź","A",1]\n["x","City","",null,7]\n',
  ])
    assert.deepEqual([...unitNames(text, 'names')], units, text);
});

test('names without a header, without a column, or cut, are refused by file and line', () => {
  for (const [text, message] of [
    ['', /^names: is not a complete list of names$/],
    [namesHeader().trim(), /^names: is not a complete list of names$/],
    ['<!doctype html>\n', /^names line 1: is not JSON$/],
    ['{}\n', /^names line 1: is no list$/],
    ['["fid","name","type"]\n', /^names line 1: has no column gid$/],
    [`${namesHeader()}["1"]\n`, /^names line 2: is not a unit$/],
    [`${namesHeader()}[1]\n[1\n`, /^names line 3: is not JSON$/],
  ] as const)
    assert.throws(() => [...unitNames(text, 'names')], { name: 'FormatError', message }, text);
});
