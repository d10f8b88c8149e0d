// /docs: the OpenAPI document as an HTML page.
import type { JsonObject } from '../../format/parse.ts';
import { listIn, objectFrom, textIn } from '../../format/parse.ts';

/** The page for an OpenAPI document. */
export function docsPage(document: JsonObject): string {
  const info = objectAt(document, 'info');
  const components = objectAt(document, 'components');
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(textAt(info, 'title'))}: API documentation</title>
<link rel="icon" href="explorer/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="explorer/style.css">
</head>
<body class="docs">
<main>
<h1>${escapeHtml(textAt(info, 'title'))}</h1>
${paragraphsToHtml(textAt(info, 'description'))}
<p><a href="./">Explorer</a> · <a href="openapi.json">OpenAPI document</a></p>
<h2>Paths</h2>
${pathsTable(document)}
<h2>Parameters</h2>
${parametersTable(objectAt(components, 'parameters'))}
<h2>Examples</h2>
<p>Units of the sample release, which <code>npm start</code> builds. Coordinates are longitude and latitude.</p>
${examplesList(document)}
<h2>Response headers of a page or file</h2>
${headersTable(objectAt(components, 'headers'))}
<h2>Problems</h2>
<p>An error is <code>application/problem+json</code> with a stable <code>code</code>.</p>
${problemsList(objectAt(components, 'responses'))}
</main>
</body>
</html>
`;
}

function pathsTable(document: JsonObject): string {
  const parameters = objectAt(objectAt(document, 'components'), 'parameters');
  const rows = Object.entries(objectAt(document, 'paths')).map(([path, item]) => {
    const operation = objectAt(objectFrom(item, path), 'get');
    const references = 'parameters' in operation ? listIn(operation, 'parameters', path) : [];
    const accepted = references.map((reference) => {
      const pointer = textIn(objectFrom(reference, path), '$ref', path);
      return objectAt(parameters, pointer.slice(pointer.lastIndexOf('/') + 1));
    });
    const size = accepted.find((parameter) => parameter['name'] === 'page-size');
    const maximum = size === undefined ? '' : String(objectAt(size, 'schema')['maximum']);
    const names = accepted.map((parameter) => codeToHtml(textAt(parameter, 'name'))).join(' ');
    return [codeToHtml(path), escapeHtml(textAt(operation, 'summary')), escapeHtml(maximum), names];
  });
  return table(['GET', 'response', 'maximum page-size', 'parameters'], rows);
}

/** One row for all parameters with the same name and description. */
function parametersTable(parameters: JsonObject): string {
  const rows = new Map<string, string[]>();
  for (const entry of Object.values(parameters)) {
    const parameter = objectFrom(entry, 'parameter');
    const [name, meaning] = [textAt(parameter, 'name'), textAt(parameter, 'description')];
    rows.set(`${name} ${meaning}`, [codeToHtml(name), inlineToHtml(meaning), codeToHtml(String(parameter['example']))]);
  }
  return table(['name', 'meaning', 'example'], [...rows.values()]);
}

function headersTable(headers: JsonObject): string {
  const rows = Object.entries(headers).map(([name, header]) => [
    codeToHtml(name),
    inlineToHtml(textAt(objectFrom(header, name), 'description')),
  ]);
  return table(['name', 'meaning'], rows);
}

/** The pages with a unit in them. */
function examplesList(document: JsonObject): string {
  return Object.entries(objectAt(document, 'paths'))
    .flatMap(([path, item]) => {
      const page = objectAt(objectAt(objectAt(objectFrom(item, path), 'get'), 'responses'), '200');
      const contents = 'content' in page ? Object.values(objectAt(page, 'content')) : [];
      return contents.map((content) => objectFrom(content, path)['examples']);
    })
    .flatMap((examples) => Object.entries(objectFrom(examples ?? {}, 'examples')))
    .filter(([name]) => name === 'unit')
    .map(([name, entry]) => {
      const example = objectFrom(entry, name);
      const { value } = example;
      const shown = typeof value === 'string' ? value : JSON.stringify(value);
      return `<h3>${escapeHtml(textAt(example, 'summary'))}</h3>\n${exchangeToHtml(example, shown)}`;
    })
    .join('\n');
}

function problemsList(responses: JsonObject): string {
  return Object.values(responses)
    .flatMap((response) => {
      const content = objectAt(objectFrom(response, 'response'), 'content');
      return Object.entries(objectAt(objectAt(content, 'application/problem+json'), 'examples'));
    })
    .map(([name, entry]) => {
      const example = objectFrom(entry, name);
      const value = objectAt(example, 'value');
      return `<h3 id="${escapeHtml(name)}">${escapeHtml(String(value['status']))} ${codeToHtml(name)}</h3>
<p>${escapeHtml(textAt(example, 'summary'))}.</p>
${exchangeToHtml(example, JSON.stringify(value, null, 2))}`;
    })
    .join('\n');
}

/** The request of an example, if it has one, and the body of the response. */
function exchangeToHtml({ 'x-request': request }: JsonObject, body: string): string {
  const parts = [...(typeof request === 'string' ? [request] : []), body];
  return parts.map((text) => `<pre><code>${escapeHtml(text)}</code></pre>`).join('\n');
}

/** @param rows cells in HTML */
function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const head = heads.map((text) => `<th scope="col">${escapeHtml(text)}</th>`).join('');
  const body = rows.map((cells) => `<tr>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`).join('\n');
  return `<div class="scroll"><table><thead><tr>${head}</tr></thead><tbody>\n${body}\n</tbody></table></div>`;
}

function paragraphsToHtml(text: string): string {
  return text
    .split('\n\n')
    .map((paragraph) => `<p>${inlineToHtml(paragraph)}</p>`)
    .join('\n');
}

/** Text with code in backticks, as HTML. */
function inlineToHtml(text: string): string {
  return escapeHtml(text).replace(/`([^`]*)`/g, '<code>$1</code>');
}

function codeToHtml(text: string): string {
  return `<code>${escapeHtml(text)}</code>`;
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}

function objectAt(json: JsonObject, member: string): JsonObject {
  return objectFrom(json[member], member);
}

function textAt(json: JsonObject, member: string): string {
  return textIn(json, member, 'document');
}
