// The examples of the interface's document that show units: those of the sample, as it is served.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openapiDocument } from '../../proxy/site/openapi/document.ts';
import { send, textOf } from '../support/http/http-client.ts';
import { startService } from '../support/http/in-process-proxy.ts';
import { sampleOutput } from '../support/releases/world.ts';

/** As much of the document as this test looks at. */
interface Document {
  paths: Record<string, { get: { responses: Record<string, { content?: Record<string, Content> }> } }>;
}
interface Content {
  examples?: Record<string, { value: unknown; 'x-request': string }>;
}

test('the example of every page is what the request gives: no unit, or one of the sample', async () => {
  const sample = await startService(await sampleOutput());
  const { paths }: Document = JSON.parse(JSON.stringify(openapiDocument({ audience: 'private' })));
  let units = 0;
  for (const [path, { get }] of Object.entries(paths))
    for (const content of Object.values(get.responses['200']?.content ?? {}))
      for (const { value, 'x-request': request } of Object.values(content.examples ?? {})) {
        const [, target = ''] = /^GET (\S+) HTTP\/1\.1\n/.exec(request) ?? [];
        assert.ok(target.startsWith(`${path}?`), target);
        const answer = await send(sample, target);
        assert.equal(answer.status, 200);
        const text = textOf(answer);
        assert.deepEqual(typeof value === 'string' ? text : JSON.parse(text), value, target);
        if (answer.headers['boundaries-matched'] === '1') units++;
      }
  assert.equal(units, 8, 'of four levels, in both formats');
});
