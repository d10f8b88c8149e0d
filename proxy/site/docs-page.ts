// The document of the interface as a page to read: the same JSON, laid out as HTML.
import type { JsonObject } from '../../format/parse.ts';
import { listIn, objectFrom, textIn } from '../../format/parse.ts';

/** The whole page. Everything in it comes from `document`. */
export function docsPage(document: JsonObject): string {
  const info = membersOf(document, 'info');
  const components = membersOf(document, 'components');
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escaped(textOf(info, 'title'))}: the interface</title>
<link rel="icon" href="explorer/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="explorer/style.css">
</head>
<body class="docs">
<h1>${escaped(textOf(info, 'title'))}</h1>
${paragraphs(textOf(info, 'description'))}
<p><a href="./">Explorer</a> · <a href="openapi.json">OpenAPI document</a></p>
<h2>Paths</h2>
${pathsTable(document)}
<h2>Parameters</h2>
${parametersTable(membersOf(components, 'parameters'))}
<h2>Headers of a page</h2>
${headersTable(membersOf(components, 'headers'))}
<h2>Problems</h2>
<p>An error is <code>application/problem+json</code> with a stable <code>code</code>.</p>
${problemsList(membersOf(components, 'responses'))}
</body>
</html>
`;
}

function pathsTable(document: JsonObject): string {
  const parameters = membersOf(membersOf(document, 'components'), 'parameters');
  const rows = Object.entries(membersOf(document, 'paths')).map(([path, item]) => {
    const operation = membersOf(objectFrom(item, path), 'get');
    const references = 'parameters' in operation ? listIn(operation, 'parameters', path) : [];
    const named = references.map((reference) => {
      const name = textIn(objectFrom(reference, path), '$ref', path).split('/').at(-1) ?? '';
      return membersOf(parameters, name);
    });
    const size = named.find((parameter) => parameter['name'] === 'page-size');
    const most = size === undefined ? '' : String(membersOf(size, 'schema')['maximum']);
    const names = named.map((parameter) => code(textOf(parameter, 'name'))).join(' ');
    return [code(path), escaped(textOf(operation, 'summary')), escaped(most), names];
  });
  return table(['GET', '', 'largest page', 'parameters'], rows);
}

/** Each parameter once; those of one name that mean the same at several levels say so in one row. */
function parametersTable(parameters: JsonObject): string {
  const rows = new Map<string, string[]>();
  for (const entry of Object.values(parameters)) {
    const parameter = objectFrom(entry, 'parameter');
    const [name, meaning] = [textOf(parameter, 'name'), textOf(parameter, 'description')];
    rows.set(`${name} ${meaning}`, [code(name), inline(meaning), code(String(parameter['example']))]);
  }
  return table(['name', 'meaning', 'for example'], [...rows.values()]);
}

function headersTable(headers: JsonObject): string {
  const rows = Object.entries(headers).map(([name, header]) => [
    code(name),
    inline(textOf(objectFrom(header, name), 'description')),
  ]);
  return table(['name', 'meaning'], rows);
}

function problemsList(responses: JsonObject): string {
  return Object.values(responses)
    .flatMap((response) => {
      const content = membersOf(objectFrom(response, 'response'), 'content');
      return Object.entries(membersOf(membersOf(content, 'application/problem+json'), 'examples'));
    })
    .map(([name, entry]) => {
      const example = objectFrom(entry, name);
      const value = membersOf(example, 'value');
      const request = example['x-request'];
      const shown = typeof request === 'string' ? `<pre><code>${escaped(request)}</code></pre>\n` : '';
      return `<h3 id="${escaped(name)}">${escaped(String(value['status']))} ${code(name)}</h3>
<p>${escaped(textOf(example, 'summary'))}.</p>
${shown}<pre><code>${escaped(JSON.stringify(value, null, 2))}</code></pre>`;
    })
    .join('\n');
}

/** @param rows cells that are HTML already */
function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const head = heads.map((text) => `<th scope="col">${escaped(text)}</th>`).join('');
  const body = rows.map((cells) => `<tr>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`).join('\n');
  return `<div class="scroll"><table><thead><tr>${head}</tr></thead><tbody>\n${body}\n</tbody></table></div>`;
}

function paragraphs(text: string): string {
  return text
    .split('\n\n')
    .map((paragraph) => `<p>${inline(paragraph)}</p>`)
    .join('\n');
}

/** Text with `code` in backticks. */
function inline(text: string): string {
  return escaped(text).replace(/`([^`]*)`/g, '<code>$1</code>');
}

function code(text: string): string {
  return `<code>${escaped(text)}</code>`;
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (char) => ENTITIES[char] ?? char);
}

function membersOf(json: JsonObject, member: string): JsonObject {
  return objectFrom(json[member], member);
}

function textOf(json: JsonObject, member: string): string {
  return textIn(json, member, 'document');
}
