// JSON that is put together from texts of all kinds and lengths, as JSON.parse reads it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { JoinedJson } from '../../../../proxy/features/names/joined-json.ts';

test('texts that are put together are what JSON.stringify makes of them, byte for byte', () => {
  const text = fc.oneof(
    fc.string({ unit: 'grapheme', maxLength: 100 }),
    fc.string({ unit: 'binary-ascii', maxLength: 5000 }),
    fc.constantFrom('"', '\\', '\u007f', '\u0000', '\u2028', 'é', ''),
  );
  fc.assert(
    fc.property(fc.array(text, { maxLength: 20 }), (texts) => {
      const json = new JoinedJson();
      const before = Buffer.from('not of it');
      for (const [i, own] of texts.entries()) {
        json.ascii(i === 0 ? '[' : ',');
        const utf8 = Buffer.concat([before, Buffer.from(own)]);
        if (i % 2 === 0) json.text(utf8, before.length, utf8.length);
        else {
          const bytes = Buffer.concat([before, Buffer.from(JSON.stringify(own)), before]);
          json.add(bytes, before.length, bytes.length - before.length);
        }
      }
      json.ascii(texts.length === 0 ? '[]' : ']');
      assert.equal(json.bytes.toString(), JSON.stringify(texts));
    }),
  );
});
