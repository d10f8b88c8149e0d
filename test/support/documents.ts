// The documents of the repository, and the tables in them that follow from the code: each stands between two comments,
// `<!-- table: NAME -->` and `<!-- end of table -->`. `npm run fix` writes them anew.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { FORMATS, LEVELS, levelName } from '../../format/levels.ts';
import { LIGHT_CAPS, pageCap } from '../../format/page-caps.ts';
import { BUILD_OPTIONS } from '../../generator/commands/build-options.ts';
import { SERVE_OPTIONS } from '../../proxy/config/options.ts';
import { apiPaths, DOWNLOAD_ENDPOINTS, PAGE_ENDPOINTS } from '../../proxy/features/all-paths.ts';
import { PROBLEMS } from '../../proxy/http/problem.ts';
import { METRICS, type Metric } from '../../proxy/operations/metric-list.ts';
import { GEOMETRY } from '../../proxy/query/parameter.ts';
import { QUESTION_GROUPS, QUESTIONS, type QuestionGroup } from '../../proxy/site/questions.ts';
import { problemsOfSteps, STEPS } from './page-path.ts';

const FOLDERS = ['.', 'format', 'generator', 'output', 'proxy', 'test'];

/** Every document of the repository, by its path. */
export function documents(): string[] {
  return FOLDERS.flatMap((folder) =>
    readdirSync(folder, { recursive: folder !== '.', encoding: 'utf8' })
      .filter((name) => name.endsWith('.md') && !name.includes('node_modules'))
      .map((name) => join(folder, name)),
  );
}

/** The level whose parameters the table of listings shows: the first one with a level above. */
const SHOWN_LEVEL = 1;

/** What the documents show of an option of `build`. */
interface BuildOption {
  describe: string;
  default?: unknown;
  defaultDescription?: string;
  choices?: readonly string[];
}

/** What makes each table. */
const TABLES: Readonly<Record<string, () => string>> = {
  'options of serve': () =>
    table(
      ['option', 'default', ''],
      Object.entries(SERVE_OPTIONS).map(([name, option]) => [
        `\`--${name}\``,
        'default' in option ? `\`${option.default}\`` : '',
        asMarkdown(option.describe),
      ]),
    ),
  'options of build': () =>
    Object.entries<Readonly<Record<string, BuildOption>>>(BUILD_OPTIONS)
      .map(([heading, options]) => {
        const rows = Object.entries(options).map(([name, option]) => [
          `\`--${name}\``,
          option.defaultDescription ?? String(option.default ?? ''),
          asMarkdown(option.describe) + (option.choices === undefined ? '' : `: ${option.choices.join(', ')}`),
        ]);
        return `**${heading}**\n\n${table(['option', 'default', ''], rows)}`;
      })
      .join('\n'),
  'parameters of listings': () => {
    const endpoints = [...PAGE_ENDPOINTS, ...DOWNLOAD_ENDPOINTS].filter(({ level }) => level === SHOWN_LEVEL);
    const known = new Map(
      endpoints.flatMap(({ parameters }) => parameters.map((one) => [one.name, one.document({})] as const)),
    );
    return table(
      ['parameter', 'example', ''],
      [...known].map(([name, { description, example }]) => [`\`${name}\``, `\`${example}\``, asMarkdown(description)]),
    );
  },
  'steps of a page': () => {
    const problems = problemsOfSteps();
    if (problems.length > 0) throw new Error(`test/support/page-path.ts: ${problems.join('; ')}`);
    const linkTo = (file: string): string => `[${file}](proxy/${file})`;
    return table(
      ['step of a page', 'file'],
      STEPS.map(([step, files], at) => [`${at + 1}. ${step}`, files.map(linkTo).join(', ')]),
    );
  },
  paths: () =>
    table(
      ['`GET`', 'parameters', ''],
      apiPaths().map(({ description: { path, parameters, summary } }) => {
        const names = parameters.includes(GEOMETRY)
          ? ['[of a listing](#parameters-of-a-listing)']
          : namesOf(parameters);
        return [`\`${path}\``, names.join(', '), asMarkdown(summary)];
      }),
    ),
  'page caps': () =>
    table(
      ['', ...LEVELS.map(levelName)],
      [
        ...FORMATS.map((format) => [
          `\`${format}\``,
          ...LEVELS.map((level) => pageCap(format, level, 'full').toLocaleString('en')),
        ]),
        ...Object.entries(LIGHT_CAPS).map(([geometry, cap]) => [
          `\`geometry=${geometry}\``,
          ...LEVELS.map(() => cap.toLocaleString('en')),
        ]),
      ],
    ),
  metrics: () =>
    table(
      ['metric', 'type', 'labels', ''],
      Object.entries<Metric>(METRICS).map(([name, { type, labels = [], help }]) => [
        `\`boundaries_${name}\``,
        type,
        labels.map((label) => `\`${label}\``).join(', '),
        asMarkdown(help),
      ]),
    ),
  errors: () =>
    table(
      ['status', 'code', ''],
      Object.entries(PROBLEMS)
        .toSorted(([, one], [, other]) => one.status - other.status)
        .map(([code, { status, title }]) => [String(status), `\`${code}\``, title]),
    ),
  ...Object.fromEntries(QUESTION_GROUPS.map((group) => [`examples of ${group}`, () => examplesOf(group)])),
};

/** The host that answers name, also where they are cut before it, and its address in documents. */
const HOST = /\/\/boundaries\.example\.org/g;
const ADDRESS = 'http://127.0.0.1:8080';
/** The longest line of an answer, in characters. */
const LINE_CHARS = 118;

/** Questions as commands of curl, with their answers. */
function examplesOf(group: QuestionGroup): string {
  return QUESTIONS.filter((one) => one.group === group)
    .map(({ question, method, target, answer }) => {
      const options = method === 'HEAD' ? '-sI' : '-si';
      const isOpen = !target.startsWith('/api/');
      const address = isOpen ? `${ADDRESS}${target}` : `-H "$AUTH" "${target.replace('/api/v1', '$BASE')}"`;
      const lines = answer
        .replace(HOST, ADDRESS.replace(/^.*:(?=\/)/, ''))
        .split('\n')
        .map(folded)
        .join('\n');
      return `**${question}**\n\n\`\`\`sh\ncurl ${options} ${address}\n\`\`\`\n\n\`\`\`http\n${lines}\n\`\`\`\n`;
    })
    .join('\n');
}

/** A line, broken behind commas and spaces. */
function folded(line: string): string {
  if (line.length <= LINE_CHARS) return line;
  const start = line.slice(0, LINE_CHARS);
  const end = Math.max(start.lastIndexOf(','), start.lastIndexOf(' ')) + 1 || LINE_CHARS;
  return `${line.slice(0, end)}\n${folded(line.slice(end))}`;
}

/** Parameters by name, those of the levels of GIDs as one. */
function namesOf(parameters: readonly { name: string }[]): string[] {
  return [...new Set(parameters.map(({ name }) => `\`${name.replace(/^gid-\d$/, 'gid-N')}\``))];
}

/** A text of a program in Markdown: what is typed, such as an option, as code. */
function asMarkdown(text: string): string {
  return text
    .replace(/[\\|*<]/g, '\\$&')
    .replace(
      /(?<![\w/-])(--[a-z][a-z0-9-]*|X-[A-Z][\w-]+|s3:\/\/[\w/]+|'Name: value'|\/(?:docs|healthz|metrics|readyz)\b|\d+\/[smh]\b)/g,
      '`$1`',
    );
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => '---'), ...rows]
    .map((cells) => `| ${cells.join(' | ')} |\n`)
    .join('')
    .replaceAll('|  |', '| |');
}

/**
 * A document with its tables as they follow from the code.
 * @throws Error if it names a table that there is not
 */
export function withTables(text: string): string {
  return text.replace(
    /(<!-- table: ([\w ]+) -->\n\n).*?(\n<!-- end of table -->)/gs,
    (_, start: string, name: string, end: string) => {
      const make = TABLES[name];
      if (make === undefined) throw new Error(`no table '${name}': there are ${Object.keys(TABLES).join(', ')}`);
      return `${start}${make()}${end}`;
    },
  );
}

/** The names of the tables of a document. */
export function tablesIn(text: string): string[] {
  return Array.from(text.matchAll(/<!-- table: ([\w ]+) -->/g), ([, name = '']) => name);
}

/** Every table. */
export const TABLE_NAMES: readonly string[] = Object.keys(TABLES);
