// /docs: what the OpenAPI document says, as an HTML page, from the same objects: the paths, their parameters once,
// questions with their answers, every error.
import { FORMATS, LEVELS, levelName } from '../../format/levels.ts';
import { LIGHT_CAPS, PAGE_CAPS } from '../../format/page-caps.ts';
import { TOKEN_MAX_CHARS } from '../auth/authenticate.ts';
import type { Audience } from '../bodies/headers.ts';
import { TARGET_MAX_BYTES } from '../http/request.ts';
import { GEOMETRY, GID_FILTERS } from '../query/parameter.ts';
import { DESCRIPTIONS, type DescribedService, descriptionFor, INFO } from './openapi/document.ts';
import { headerComponents, problemResponses } from './openapi/responses.ts';
import { QUESTIONS } from './questions.ts';

/** The address in examples, where the service has not said its own. */
const ADDRESS = 'http://127.0.0.1:8080';

/**
 * The page.
 * @param service in its examples are its public URL and, if it is public, no tokens
 */
export function docsPage({
  title = INFO.title,
  publicUrl = ADDRESS,
  audience = 'private',
}: Partial<DescribedService> = {}): string {
  const at = (text: string): string => text.replaceAll(ADDRESS, publicUrl);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)}: API documentation</title>
<link rel="icon" href="explorer/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="explorer/style.css">
</head>
<body class="docs">
<main>
<h1>${escapeHtml(title)}</h1>
${paragraphsToHtml(descriptionFor(audience))}
<p><a href="./">Explorer</a> · <a href="openapi.json">OpenAPI document</a></p>
<h2>Paths</h2>
<p><code>{level}</code> is one of ${LEVELS.map((level) => codeToHtml(levelName(level))).join(' ')}: countries, and what lies inside of them.</p>
${table(
  ['GET', 'response'],
  PATHS.map(([path, text]) => [codeToHtml(path), inlineToHtml(text)]),
)}
${audience === 'private' ? `<h2>Token</h2>\n${paragraphsToHtml(TOKEN)}\n` : ''}<h2>Parameters</h2>
${parametersTable()}
<h3>Caps of page-size</h3>
${capsTable()}
<h2>Walk a listing</h2>
${paragraphsToHtml(audience === 'private' ? WALK : WALK.replace(WITH_TOKEN, ''))}
<pre><code>${escapeHtml(at(audience === 'private' ? WALK_COMMAND : WALK_COMMAND.replace(TOKEN_ARGUMENT, '')))}</code></pre>
<h2>A map on a page</h2>
<p>The regions of a country, drawn with MapLibre on a page of yours; a download is a gzip file, which the page inflates. Whose data it is,
the page asks <code>about.json</code>: show it with the data.</p>
<pre><code>${escapeHtml(at(MAP_PAGE))}</code></pre>
<h2>Questions</h2>
${paragraphsToHtml(ORIGIN)}
${QUESTIONS.map(({ question, method, target, answer }) => exampleToHtml(question, `${method} ${target}`, answer)).join('\n')}
<h2>Response headers of a page or file</h2>
${headersTable()}
<h2>Errors</h2>
<p>An error is <code>application/problem+json</code>: <code>status</code>, a stable <code>code</code>, and a
<code>detail</code> that says what to change. These are examples of it.</p>
${errorsTable(audience)}
</main>
</body>
</html>
`;
}

/** What returns features of a level: pages, and whole listings. */
const LISTINGS = DESCRIPTIONS.filter(({ operationId }) => operationId === 'fc' || operationId === 'download-fc');
const LISTED: ReadonlySet<string> = new Set(
  DESCRIPTIONS.filter(({ parameters }) => parameters.includes(GEOMETRY)).map(({ path }) => path),
);

/** Paths and what they answer. Parameters of listings are a table of their own. */
const PATHS = [
  ...DESCRIPTIONS.map(({ path, summary, parameters, tag }) => {
    const names = LISTED.has(path) || tag === 'ogc' ? [] : parameters.map(({ name }) => `\`${name}\``);
    return [path, names.length === 0 ? summary : `${summary}. Parameters: ${names.join(', ')}`] as const;
  }),
  ['/healthz', 'The process runs; without a token'],
  ['/readyz', 'A release and keys are loaded; without a token'],
] as const;

const TOKEN = `\`Authorization: Bearer <JWT>\` on every request under \`/api/\`: a JWT of a configured issuer, of at most
${TOKEN_MAX_CHARS} characters. A token in the query string is refused. Path and query have at most ${TARGET_MAX_BYTES} bytes.`;

const WALK = `Every page but the last has a \`Link\` header with the absolute URL of the next one. Request it as it is, with the same token,
until there is none: every matching feature comes exactly once, all from the release of the first page, also while a
new release is published. If that release is withdrawn meanwhile, the answer is 410: start again.`;

/** What a public service leaves out of both. */
const WITH_TOKEN = ', with the same token,';
const TOKEN_ARGUMENT = ' -H "Authorization: Bearer $TOKEN"';

const WALK_COMMAND = `url='${ADDRESS}/api/v1/geojsonl/lv2?gid-0=ESP'
while [ -n "$url" ]; do
  curl -sSf --compressed -D headers.txt -H "Authorization: Bearer $TOKEN" "$url"
  url=$(sed -n 's/^link: <\\([^>]*\\)>.*/\\1/Ip' headers.txt)
done`;

/** As proxy/examples/clients/map.html. */
const MAP_PAGE = `<!doctype html>
<meta charset="utf-8">
<title>Regions of Spain</title>
<link rel="stylesheet" href="https://unpkg.com/maplibre-gl@6.17.0/dist/maplibre-gl.css">
<div id="map" style="height: 95vh"></div>
<script type="module">
  import { Map as MapLibre } from 'https://unpkg.com/maplibre-gl@6.17.0/dist/maplibre-gl.mjs';

  const base = 'http://127.0.0.1:8080';
  const url = \`\${base}/api/v1/download/lv1.geojson.gz?gid-0=ESP&geometry=low\`;
  const token = ''; // A public service needs none.
  const response = await fetch(url, { headers: token ? { Authorization: \`Bearer \${token}\` } : {} });
  if (!response.ok) throw new Error(await response.text());
  const data = await new Response(response.body.pipeThrough(new DecompressionStream('gzip'))).json();
  const about = await (await fetch(\`\${base}/about.json\`)).json();
  const { attribution: owners } = about.levels.find(({ level }) => level === 'lv1');
  const attribution = owners.join(' · ').replaceAll('<', '&lt;'); // MapLibre shows it as HTML.
  const box = data.features.map(({ bbox }) => bbox);
  const [west, south] = [0, 1].map((i) => Math.min(...box.map((one) => one[i])));
  const [east, north] = [2, 3].map((i) => Math.max(...box.map((one) => one[i])));
  const layer = (id, type, paint) => ({ id, type, source: 'units', paint });
  const layers = [layer('fill', 'fill', { 'fill-color': '#cde' }), layer('line', 'line', { 'line-color': '#357' })];
  const sources = { units: { type: 'geojson', data, attribution } };
  const style = { version: 8, sources, layers };
  new MapLibre({ container: 'map', bounds: [west, south, east, north], style, attributionControl: { compact: true } });
</script>
`;

const ORIGIN = `Answers of the sample release, which \`npm start\` builds: countries made with Natural Earth, units of the United States of the U.S. Census Bureau, both public domain; those of Spain derived from boundaries CC BY 4.0 Instituto Geográfico Nacional de España (ign.es). Of the headers the most important ones are shown; \`…\` stands for the middle of a long answer.`;

/** One row for all filters by GIDs. */
function parametersTable(): string {
  const [first = '', ...others] = GID_FILTERS.map(({ name }) => name);
  const filters = [
    `${codeToHtml(first)} to ${codeToHtml(others.at(-1) ?? '')}`,
    'Only units inside the unit with this GID; several are combined with AND. That of the level itself selects one unit.',
    codeToHtml(`${first}=ESP`),
  ];
  const [pages, downloads] = LISTINGS.map(({ parameters }) => parameters);
  const all = new Map([...(pages ?? []), ...(downloads ?? [])].map((parameter) => [parameter.name, parameter]));
  const rows = [...all.values()]
    .filter(({ name }) => name !== first && !others.includes(name))
    .map((parameter) => {
      const { description, example } = parameter.document({});
      const isOf = (list: typeof pages): boolean => list?.includes(parameter) === true;
      const only = isOf(pages) ? (isOf(downloads) ? '' : ' Only of pages.') : ' Only of downloads.';
      const { name } = parameter;
      return [codeToHtml(name), inlineToHtml(`${description}${only}`), codeToHtml(`${name}=${example}`)];
    });
  return table(['name', 'meaning', 'example'], [filters, ...rows]);
}

function capsTable(): string {
  const heads = [0, 2, 4] as const;
  const full = FORMATS.map((format) => [codeToHtml(format), ...heads.map((level) => String(PAGE_CAPS[format][level]))]);
  const light = Object.entries(LIGHT_CAPS).map(([geometry, cap]) => [
    `both, ${codeToHtml(`geometry=${geometry}`)}`,
    ...heads.map(() => String(cap)),
  ]);
  return table(['format', 'lv0 lv1', 'lv2 lv3', 'lv4 lv5'], [...full, ...light], 'numbers');
}

function headersTable(): string {
  const rows = Object.entries(headerComponents()).map(([name, { description }]) => [
    codeToHtml(name),
    inlineToHtml(description),
  ]);
  return table(['name', 'meaning'], rows);
}

function errorsTable(audience: Audience): string {
  const rows = Object.values(problemResponses(audience))
    .flatMap(({ content }) => Object.entries(content['application/problem+json'].examples))
    .map(([code, { value }]) => [
      String(value.status),
      codeToHtml(code),
      escapeHtml(value.title),
      escapeHtml(value.detail),
    ]);
  return table(['status', 'code', 'meaning', 'detail'], rows);
}

function exampleToHtml(title: string, ...texts: readonly string[]): string {
  const blocks = texts.map((text) => `<pre><code>${escapeHtml(text)}</code></pre>`);
  return [`<h3>${escapeHtml(title)}</h3>`, ...blocks].join('\n');
}

/** @param rows cells in HTML */
function table(heads: readonly string[], rows: readonly (readonly string[])[], kind = 'texts'): string {
  const head = heads.map((text) => `<th scope="col">${escapeHtml(text)}</th>`).join('');
  const body = rows.map((cells) => `<tr>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`).join('\n');
  return `<div class="scroll ${kind}"><table><thead><tr>${head}</tr></thead><tbody>\n${body}\n</tbody></table></div>`;
}

function paragraphsToHtml(text: string): string {
  return text
    .split('\n\n')
    .map((paragraph) => `<p>${inlineToHtml(paragraph)}</p>`)
    .join('\n');
}

/** Text with code in backticks and words between double asterisks, as HTML. */
function inlineToHtml(text: string): string {
  return escapeHtml(text)
    .replace(/`([^`]*)`/g, '<code>$1</code>')
    .replace(/\*\*(.+?)\*\*/g, '<strong>$1</strong>');
}

function codeToHtml(text: string): string {
  return `<code>${escapeHtml(text)}</code>`;
}

/** As text of an element, or of an attribute in double quotes. */
export function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
