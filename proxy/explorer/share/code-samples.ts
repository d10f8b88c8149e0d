// The listing that is shown as a program: in the shell, Python and JavaScript, each to its last page. Only tools that
// are there: curl, Python's standard library, fetch. The token comes from the environment.

/** Code to copy, of several kinds. */
export interface Sample {
  id: string;
  title: string;
  code: string;
}

export const LANGUAGES: readonly { id: string; title: string; sample: (url: string) => string }[] = [
  { id: 'shell', title: 'Shell', sample: shellSample },
  { id: 'python', title: 'Python', sample: pythonSample },
  { id: 'javascript', title: 'JavaScript', sample: javaScriptSample },
];

/** What the programs have only because of the token, and what stands in its place without one. */
const TOKEN_PARTS = [
  ['# Before: export TOKEN=...\n', ''],
  [
    '// Before: export TOKEN=... For Node 20 or later; save it as walk.mjs. In a browser put the token here instead.',
    '// For Node 20 or later; save it as walk.mjs.',
  ],
  [' -H "Authorization: Bearer $TOKEN"', ''],
  ['"Authorization": "Bearer " + os.environ["TOKEN"], ', ''],
  ['json, os, re', 'json, re'],
  [`const headers = { Authorization: \`Bearer \${process.env.TOKEN}\` };\n`, ''],
  ['fetch(url, { headers })', 'fetch(url)'],
] as const;

/**
 * @param language an id of LANGUAGES
 * @param url of the first page
 * @param isPublic does the service want no token?
 * @returns the program
 */
export function codeFor(language: string, url: string, isPublic = false): string {
  const { sample } = LANGUAGES.find(({ id }) => id === language) ?? { sample: shellSample };
  const code = sample(safeUrl(url));
  return isPublic ? TOKEN_PARTS.reduce((text, [before, after]) => text.replace(before, after), code) : code;
}

/**
 * A URL that means the same between quotation marks of a shell, of Python and of JavaScript, and to curl, which takes
 * brackets and braces for patterns.
 */
function safeUrl(url: string) {
  return url.replaceAll(/[^\w.~:/?&=%+,;@-]/gu, (character) => {
    const encoded = encodeURIComponent(character);
    // These are the ones that encodeURIComponent leaves: ! ' ( ) *
    return encoded === character ? `%${character.charCodeAt(0).toString(16).toUpperCase()}` : encoded;
  });
}

function shellSample(url: string) {
  return `# Before: export TOKEN=...
(
  URL='${url}'
  while [ -n "$URL" ]; do
    curl -sSf --compressed -H "Authorization: Bearer $TOKEN" -D headers.txt "$URL" || exit
    URL=$(sed -n 's/^[Ll]ink: <\\(.*\\)>; rel="next".*/\\1/p' headers.txt)
  done > units.geojsonl
)
`;
}

function pythonSample(url: string) {
  return `# Before: export TOKEN=...
import gzip, json, os, re
from urllib.request import Request, urlopen

headers = {"Authorization": "Bearer " + os.environ["TOKEN"], "Accept-Encoding": "gzip"}
url = "${url}"
while url:
    with urlopen(Request(url, headers=headers)) as response:
        page = response.read()
        if response.headers["Content-Encoding"] == "gzip":
            page = gzip.decompress(page)
        link = re.match('<(.*)>; rel="next"', response.headers["Link"] or "")
    for unit in map(json.loads, page.splitlines()):
        print(unit["id"], json.dumps(unit["properties"], ensure_ascii=False))
    url = link and link[1]
`;
}

function javaScriptSample(url: string) {
  return `// Before: export TOKEN=... For Node 20 or later; save it as walk.mjs. In a browser put the token here instead.
const headers = { Authorization: \`Bearer \${process.env.TOKEN}\` };
let url = '${url}';
while (url) {
  const response = await fetch(url, { headers });
  if (!response.ok) throw new Error(\`\${response.status}: \${await response.text()}\`);
  for (const line of (await response.text()).split('\\n').filter(Boolean)) {
    const { id, properties } = JSON.parse(line);
    console.log(id, JSON.stringify(properties));
  }
  url = /<(.*)>; rel="next"/.exec(response.headers.get('Link'))?.[1];
}
`;
}
