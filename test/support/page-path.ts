// What a person reads who wants to know how a page is answered: the files in the order of a request, by hand. It must
// be those that a page meets, by imports: no file is missing, and none is there that a page does not meet.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

/** The steps of a page, and the files of each in proxy/. */
export const STEPS: readonly (readonly [step: string, files: readonly string[]])[] = [
  [
    'Receive the request, one at a time for each connection, with limits for size and time',
    ['node/server.ts', 'node/request-id.ts', 'node/connection.ts', 'http/time.ts'],
  ],
  ['Validate target, headers and Host; answer a CORS preflight', ['handler/handler.ts', 'http/request.ts']],
  ['Look up the path: a row, which knows its parameters and what answers it', ['bodies/row.ts']],
  [
    'Check the bearer token: one that was verified before is a look-up, any other is verified with the keys of its issuer. 401 or 403 with a challenge. Then, if there are any, the limits of its client: 429',
    ['auth/authenticate.ts', 'auth/token-fault.ts'],
  ],
  [
    'Determine the base URL for links; look up the response cache. If it has the answer, continue with step 9',
    ['http/base-url.ts'],
  ],
  [
    'The row answers. It parses the query: each parameter is an object that reads its own text',
    ['query/parse.ts', 'query/parameter.ts', 'features/pages/page-paths.ts', 'features/pages/page-parameters.ts'],
  ],
  [
    'It picks the release, that of the cursor or the current one, and loads what it needs, side by side: the level, the table of the geometry, the features that meet each filter. What is in memory is not waited for. Then the index says which features match and which stored page has them',
    [
      'features/pages/listing.ts',
      'features/pages/resolve.ts',
      'data/loads.ts',
      'data/hosted-releases.ts',
      'data/loaded-release.ts',
      'data/loaded.ts',
    ],
  ],
  [
    'It creates the answer, a value: status, headers, ETag, next cursor, and a body that is not read yet: a stored file, a slice of feature files, or one of them inflated to text',
    [
      'features/pages/pages.ts',
      'features/pages/next-link.ts',
      'bodies/headers.ts',
      'bodies/answer.ts',
      'bodies/slice.ts',
      'bodies/reads.ts',
      'bodies/runs.ts',
      'bodies/stored-file.ts',
      'bodies/checked-stream.ts',
    ],
  ],
  [
    'Send the answer: 304, HEAD, or the body. Read it at once where that takes microseconds, into memory that is used again, otherwise in the queue of work; check the bytes before the last one is sent; count what slow clients hold',
    [
      'bodies/conditions.ts',
      'node/send.ts',
      'origin/origin.ts',
      'origin/directory.ts',
      'origin/recent-pieces.ts',
      'http/guards.ts',
      'work/body-buffers.ts',
      'work/next-turn.ts',
    ],
  ],
  [
    'Any error on the way becomes a problem response, also of what is not HTTP. When the server stops, responses end and connections close',
    ['http/problem.ts', 'node/parser-errors.ts', 'node/stop-server.ts', 'operations/health.ts'],
  ],
];

/** The assembly knows everything: what it puts together is counted by its own imports. */
const ASSEMBLY = 'proxy/features/all-paths.ts';
/** The token check and the folder are interfaces to what imports them. */
const CORE = [
  'proxy/handler/handler.ts',
  'proxy/auth/authenticate.ts',
  'proxy/origin/directory.ts',
  'proxy/features/pages/pages.ts',
];

/** The files that some files import, themselves and by way of others. */
function importsFrom(files: readonly string[]): string[] {
  const found = new Set<string>();
  const visit = (file: string): void => {
    if (found.has(file) || file === ASSEMBLY) return;
    found.add(file);
    for (const [, from = ''] of readFileSync(file, 'utf8').matchAll(/ from '(\.[^']+)'/g))
      visit(normalize(join(dirname(file), from)));
  };
  files.forEach(visit);
  return [...found].filter((file) => file.startsWith('proxy/'));
}

/** The files of the core: what a page meets behind the adapter of a platform. */
export function coreFiles(): string[] {
  return importsFrom(CORE);
}

/** The files that a page meets. */
export function pageFiles(): string[] {
  const adapter = readdirSync('proxy/node').map((name) => join('proxy/node', name));
  return [...new Set([...coreFiles(), ...importsFrom(adapter)])];
}

/** The lines of a file that are neither empty nor only a comment. */
export function linesOfCode(file: string): number {
  const lines = readFileSync(file, 'utf8').split('\n');
  return lines.filter((line) => !/^\s*(\/\/|\/\*|\*|$)/.test(line)).length;
}

/** What is wrong with the list: files that a page meets and it lacks, and files that it has and no page meets. */
export function problemsOfSteps(): string[] {
  const met = new Set(pageFiles());
  const listed = STEPS.flatMap(([, files]) => files.map((file) => join('proxy', file)));
  return [
    ...[...met].filter((file) => !listed.includes(file)).map((file) => `${file}: a page meets it, no step has it`),
    ...listed.filter((file) => !met.has(file)).map((file) => `${file}: a step has it, no page meets it`),
    ...listed.filter((file, at) => listed.indexOf(file) !== at).map((file) => `${file}: in two steps`),
  ];
}
