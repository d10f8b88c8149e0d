// The HTTP contract: every answer to the exchanges is one that the interface's documents describe, with its status, media
// type, headers and body. Bodies are validated with ajv, and have no member that their schema does not name.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { elementAt } from '../../format/element-at.ts';
import { type Answer, send, textOf } from '../support/http/http-client.ts';
import { type Document, type Response, resolved } from '../support/http/openapi-document.ts';
import { record } from './compare.ts';
import { DIRECTORY } from './setups.ts';
import { prepareWorld } from './world.ts';

/** By path, and below which path those that it describes are. */
const DOCUMENTS = { '/openapi.json': '', '/api/v1/ogc/api': '/api/v1/ogc' };
/** Paths that no document has. */
const UNDESCRIBED = /^\/(openapi\.json|\.well-known\/.*)$/;
/** Headers that any answer may have, described or not: of HTTP, of browsers, and of what is saved. */
const OF_ANY =
  /^(access-control-.*|accept-ranges|connection|content-(disposition|encoding|length|type)|date|keep-alive|transfer-encoding|x-.*)$/;
const OF_PROBLEMS = /^(cache-control|vary)$/;
const FORMATS = { uri: (text: string) => URL.canParse(text), date: /^\d{4}-\d\d-\d\d$/ };

const world = await prepareWorld(DIRECTORY);
const stages = await record(world, world.stored);
await world.publish('r1');

for (const [name, root] of Object.entries(DOCUMENTS))
  test(`every answer has a status, headers, a media type and a body that are described: ${name}`, async () => {
    const faultsOf = faultsBy(JSON.parse(textOf(await send(world.proxy, name))));
    const found = new Set<string>();
    let compared = 0;
    for (const { exchanges, answers } of stages)
      for (const [i, { path, method = 'GET' }] of exchanges.entries()) {
        const { pathname } = new URL(path, world.proxy.url);
        if (!pathname.startsWith(root) || UNDESCRIBED.test(pathname) || !['GET', 'HEAD'].includes(method)) continue;
        compared++;
        const answer = elementAt(answers, i);
        for (const fault of faultsOf(pathname.slice(root.length) || '/', method, answer))
          found.add(`${method} ${pathname} ${answer.status}: ${fault}`);
      }
    assert.deepEqual([...found], []);
    assert.ok(compared > 50, `${compared} answers`);
  });

/** Makes a function that says in what an answer is not as a document describes. */
function faultsBy({ paths, components }: Document) {
  const ajv = new Ajv2020({ strict: false, formats: FORMATS });
  ajv.addSchema({ $id: 'document', components: { schemas: closed(components.schemas) } });
  const operations = Object.entries(paths).map(([path, { get }]) => {
    const pattern = path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+');
    return { pattern: RegExp(`^${pattern}$`), responses: get.responses };
  });

  function headerFaults({ headers, status }: Answer, known: Response['headers'] = {}): string[] {
    const faults: string[] = [];
    for (const [name, described] of Object.entries(known)) {
      const { required = false, schema } = resolved(described, components.headers);
      const value = headers[name.toLowerCase()];
      if (value === undefined && required) faults.push(`no ${name}`);
      if (value !== undefined && !ajv.validate(schema, schema['type'] === 'integer' ? Number(value) : value))
        faults.push(`${name}: ${ajv.errorsText()}`);
    }
    if (components.headers === undefined) return faults;
    const names = Object.keys(known).map((name) => name.toLowerCase());
    const others = Object.keys(headers).filter((name) => !names.includes(name) && !OF_ANY.test(name));
    const unknown = others.filter((name) => status < 400 || !OF_PROBLEMS.test(name));
    return [...faults, ...unknown.map((name) => `${name} is not described`)];
  }

  function bodyFaults(answer: Answer, method: string, content: Response['content'] = {}): string[] {
    const mediaType = answer.headers['content-type'];
    if (mediaType === undefined) return Object.keys(content).length === 0 ? [] : ['no media type'];
    const { schema } = content[mediaType] ?? {};
    if (schema === undefined) return [`${mediaType} is not described`];
    if (method === 'HEAD') return [];
    const name = String(schema['$ref']).split('/').at(-1) ?? '';
    const { 'x-line': line } = components.schemas[name] ?? {};
    if (line === undefined && !/\bjson\b/.test(mediaType)) return [];
    const isValid = ajv.getSchema(`document${(line ?? schema)['$ref']}`) ?? assert.fail(name);
    // The first line of names says what the columns are.
    const texts =
      line === undefined
        ? [textOf(answer)]
        : textOf(answer)
            .split('\n')
            .slice(name === 'NameLines' ? 1 : 0, -1);
    return texts.flatMap((text) => (isValid(JSON.parse(text)) ? [] : [JSON.stringify(isValid.errors)]));
  }

  return (path: string, method: string, answer: Answer): string[] => {
    // What is no path gets the problems that all paths have.
    const responses = operations.find(({ pattern }) => pattern.test(path))?.responses ?? components.responses;
    const described = responses[answer.status] ?? responses[`problem-${answer.status}`];
    if (described === undefined) return ['the status is not described'];
    const { headers, content } = resolved(described, components.responses);
    // HTTP says that these have the headers of the whole.
    const whole = [206, 304].includes(answer.status) ? responses[200] : undefined;
    const ofWhole = whole && resolved(whole, components.responses).headers;
    return [...headerFaults(answer, { ...ofWhole, ...headers }), ...bodyFaults(answer, method, content)];
  };
}

/** The same schemas, of which none allows members that it does not name, unless it says so. */
function closed(schemas: object): object {
  return JSON.parse(JSON.stringify(schemas), (_name, value) =>
    value?.type === 'object' && value.properties !== undefined && value.additionalProperties === undefined
      ? { ...value, additionalProperties: false }
      : value,
  );
}
