// /docs: what the OpenAPI document says, as an HTML page, from the same tables.
import { PAGE_CAPS } from '../../format/levels.ts';
import { ENDPOINTS, PAGE_ENDPOINTS, parameterNames } from '../pages/endpoints.ts';
import { INFO, openapiDocument, pageExamples } from './openapi/document.ts';
import { parameterComponents } from './openapi/parameters.ts';
import { headerComponents, problemResponses } from './openapi/responses.ts';

/** The page. */
export function docsPage(): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(INFO.title)}: API documentation</title>
<link rel="icon" href="explorer/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="explorer/style.css">
</head>
<body class="docs">
<main>
<h1>${escapeHtml(INFO.title)}</h1>
${paragraphsToHtml(INFO.description)}
<p><a href="./">Explorer</a> · <a href="openapi.json">OpenAPI document</a></p>
<h2>Paths</h2>
${pathsTable()}
<h2>Parameters</h2>
${parametersTable()}
<h2>Examples</h2>
<p>Units of the sample release, which <code>npm start</code> builds. Coordinates are longitude and latitude.</p>
${examplesList()}
<h2>Response headers of a page or file</h2>
${headersTable()}
<h2>Problems</h2>
<p>An error is <code>application/problem+json</code> with a stable <code>code</code>.</p>
${problemsList()}
</main>
</body>
</html>
`;
}

function pathsTable(): string {
  const rows = Object.entries(openapiDocument(undefined).paths).map(([path, { get }]) => {
    const endpoint = ENDPOINTS.get(path);
    const isPage = endpoint?.kind === 'page';
    const maximum = isPage ? String(PAGE_CAPS[endpoint.format][endpoint.level]) : '';
    const names = isPage ? parameterNames(endpoint.level).map(codeToHtml).join(' ') : '';
    return [codeToHtml(path), escapeHtml(get.summary), maximum, names];
  });
  return table(['GET', 'response', 'maximum page-size with the full geometry', 'parameters'], rows);
}

/** One row for all parameters with the same name and description. */
function parametersTable(): string {
  const rows = Object.values(parameterComponents()).map(({ name, description, example }) => {
    const cells = [codeToHtml(name), inlineToHtml(description), codeToHtml(String(example))];
    return [`${name} ${description}`, cells] as const;
  });
  return table(['name', 'meaning', 'example'], [...new Map(rows).values()]);
}

function headersTable(): string {
  const rows = Object.entries(headerComponents()).map(([name, { description }]) => [
    codeToHtml(name),
    inlineToHtml(description),
  ]);
  return table(['name', 'meaning'], rows);
}

/** The pages with a unit in them. */
function examplesList(): string {
  return PAGE_ENDPOINTS.map(({ path, format, level }) => pageExamples(path, format, level).unit)
    .filter((unit) => unit !== undefined)
    .map((unit) => {
      const shown = typeof unit.value === 'string' ? unit.value : JSON.stringify(unit.value);
      return `<h3>${escapeHtml(unit.summary)}</h3>\n${exchangeToHtml(unit['x-request'], shown)}`;
    })
    .join('\n');
}

function problemsList(): string {
  return Object.values(problemResponses())
    .flatMap(({ content }) => Object.entries(content['application/problem+json'].examples))
    .map(
      ([code, { summary, value, 'x-request': request }]) =>
        `<h3 id="${escapeHtml(code)}">${value.status} ${codeToHtml(code)}</h3>
<p>${escapeHtml(summary)}.</p>
${exchangeToHtml(request, JSON.stringify(value, null, 2))}`,
    )
    .join('\n');
}

/** The request of an example, if it has one, and the body of the response. */
function exchangeToHtml(request: string | undefined, body: string): string {
  const parts = request === undefined ? [body] : [request, body];
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
