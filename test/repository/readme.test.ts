// The README files: what they link to and what their drawing names is there.
import assert from 'node:assert/strict';
import { execFileSync, execSync } from 'node:child_process';
import { cpSync, existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { packageVersion } from '../../format/command-line/messages.ts';
import { openapiDocument } from '../../proxy/site/openapi/document.ts';
import { QUESTIONS } from '../../proxy/site/questions.ts';
import { documents, TABLE_NAMES, tablesIn, withTables } from '../support/documents.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const PICTURE_MAX_BYTES = 150_000;

const pages = documents();

/** The anchors of the headings of a page, as GitHub makes them. */
function anchorsOf(page: string): string[] {
  const text = readFileSync(page, 'utf8').replace(/^```.*?^```/gms, '');
  const headings = Array.from(text.matchAll(/^#+ (.+)$/gm), ([, heading = '']) => heading.toLowerCase());
  return headings.map((heading) => heading.replace(/[^\w\- ]/g, '').replaceAll(' ', '-'));
}

test('every file and every section that a README links to is there', () => {
  assert.ok(pages.length > 8);
  const missing = pages.flatMap((page) =>
    [...readFileSync(page, 'utf8').matchAll(/\]\((?![a-z]+:)([^)#\s]*)(?:#([^)\s]+))?[^)]*\)/g)]
      .filter(([, file, anchor]) => {
        const target = file ? join(dirname(page), file) : page;
        return !existsSync(target) || (anchor !== undefined && !anchorsOf(target).includes(anchor));
      })
      .map(([link]) => `${page}: ${link}`),
  );
  assert.deepEqual(missing, []);
});

test('every picture is shown by a document, says in words what it shows, and is small', () => {
  const shown = pages.flatMap((page) =>
    Array.from(
      readFileSync(page, 'utf8').matchAll(
        /!\[([^\]]+)\]\(([^)]+)\)|<img src="([^"]+)"[^>]* alt="([^"]+)"|srcset="([^"]+)"/g,
      ),
      ([, , markdown, html, , dark]) => join(dirname(page), markdown ?? html ?? dark ?? ''),
    ),
  );
  const pictures = execFileSync('git', ['ls-files', '*.webp', '*.png', '*.svg'], { encoding: 'utf8' })
    .trim()
    .split('\n');
  const others = pictures.filter((file) => !file.endsWith('icon.svg'));
  assert.deepEqual([...new Set(shown)].sort(), others.sort());
  for (const file of others) assert.ok(statSync(file).size < PICTURE_MAX_BYTES, file);
});

test("what 'Where is ...?' of CONTRIBUTING.md names after a file, such as a function, is in that file", () => {
  const [, table = ''] = /^## Where is \.\.\.\?\n(.*?)^## /ms.exec(readFileSync('CONTRIBUTING.md', 'utf8')) ?? [];
  const named = [...table.matchAll(/\]\(([\w./-]+\.ts)\)(?:,| \() ?((?:`#?\w+`(?:, )?)+)/g)].flatMap(
    ([, file = '', names = '']) => [...names.matchAll(/`(#?\w+)`/g)].map(([, name = '']) => ({ file, name })),
  );
  assert.ok(named.length > 80, `${named.length} names`);
  const missing = named.filter(({ file, name }) => !readFileSync(file, 'utf8').includes(name));
  assert.deepEqual(missing, []);
});

test('every table that follows from the code stands once in the documents, as `npm run fix` writes it', () => {
  const texts = pages.map((page) => [page, readFileSync(page, 'utf8')] as const);
  const outdated = texts.filter(([, text]) => withTables(text) !== text).map(([page]) => page);
  assert.deepEqual(outdated, [], 'type npm run fix');
  const named = texts.flatMap(([, text]) => tablesIn(text));
  assert.deepEqual(named.toSorted(), TABLE_NAMES.toSorted());
});

test('every path of the API has a question, whose answer /docs and proxy/README.md show', () => {
  const paths = Object.keys(JSON.parse(JSON.stringify(openapiDocument({ audience: 'private' }))).paths);
  const asked = new Set(QUESTIONS.map(({ target }) => new URL(target, 'http://localhost').pathname));
  const unasked = paths.filter((path) => {
    const pattern = path
      .replace(/[.+]/g, '\\$&')
      .replace(/lv\d/, 'lv\\d')
      .replace(/\{\w+\}/g, '[^/]+');
    return ![...asked].some((one) => new RegExp(`^${pattern}$`).test(one));
  });
  assert.deepEqual(unasked, []);
});

test('the images, their tags, the API and the lock have the version of the package, the changelog has it or an older one, and the image that of gdal-async which is tested', () => {
  const named = execFileSync(
    'git',
    ['grep', '-hoE', 'image.version=[0-9a-z.-]+|boundaries-[a-z]+:[0-9.]+[0-9a-z.-]*', '--', 'generator', 'proxy'],
    { encoding: 'utf8' },
  ).trim();
  const versions = named.split('\n').map((line) => line.replace(/.*[=:]/, ''));
  assert.ok(versions.length >= 7);
  const changelog = /^## \[(\d\S*)\]/m.exec(readFileSync('CHANGELOG.md', 'utf8'))?.[1] ?? '';
  const lock = JSON.parse(readFileSync('package-lock.json', 'utf8'));
  const { info } = JSON.parse(JSON.stringify(openapiDocument({ audience: 'public' })));
  const all = [...versions, lock.version, lock.packages[''].version, info.version];
  assert.deepEqual([...new Set(all)], [packageVersion()]);
  // What is not released yet is under Unreleased.
  const order = packageVersion().localeCompare(changelog, 'en', { numeric: true });
  assert.ok(packageVersion().endsWith('-dev') ? order > 0 : order === 0, `${packageVersion()} after ${changelog}`);
  const image = readFileSync('generator/examples/container/Dockerfile', 'utf8');
  const { devDependencies } = JSON.parse(readFileSync('package.json', 'utf8'));
  assert.equal(/^ARG GDAL_ASYNC=(\S+)$/m.exec(image)?.[1], devDependencies['gdal-async']);
});

test('the commands of CONTRIBUTING.md for the release notes list every package that is installed with this one', () => {
  const [, commands = ''] = /^npm run pack\n(.*?)```/ms.exec(readFileSync('CONTRIBUTING.md', 'utf8')) ?? [];
  const folder = temporaryFolder();
  for (const file of ['package.json', 'package-lock.json']) cpSync(file, join(folder, file));
  execSync(commands, { cwd: folder, env: { ...process.env, npm_config_offline: 'true' }, stdio: 'ignore' });
  const { components } = JSON.parse(readFileSync(join(folder, 'sbom.cdx.json'), 'utf8'));
  const listed = components.map(({ purl }: { purl: string }) => purl.replace('%40', '@')).sort();
  const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8'));
  const installed = Object.entries<LockedPackage>(packages).flatMap(([path, { name, version, ...own }]) => {
    if (path === '' || own.dev || own.devOptional || own.peer) return [];
    return [`pkg:npm/${name ?? path.replace(/^.*node_modules\//, '')}@${version}`];
  });
  assert.ok(installed.length > 5);
  assert.deepEqual(listed, [...new Set(installed)].sort());
});

/** A package of package-lock.json. */
interface LockedPackage {
  /** Where it is installed under another one. */
  name?: string;
  version: string;
  dev?: boolean;
  devOptional?: boolean;
  peer?: boolean;
}

test('the drawing names files that are there, and those of a request in the order of its steps', () => {
  const [, drawing = ''] = readFileSync('CONTRIBUTING.md', 'utf8').split('```mermaid');
  const [nodes = ''] = drawing.split('```', 1);
  const files = Array.from(nodes.matchAll(/: ([\w/-]+\.ts)"/g), ([, file = '']) => file);
  assert.ok(files.length > 8);
  const missing = files.filter((file) => !existsSync(file));
  assert.deepEqual(missing, []);
  const [, steps = ''] = readFileSync('CONTRIBUTING.md', 'utf8').split('## How a request flows\n');
  const places = files.filter((file) => file.startsWith('proxy/')).map((file) => steps.indexOf(`](${file})`));
  const ascending = places.toSorted((a, b) => a - b);
  assert.deepEqual(places, ascending);
  assert.ok(!places.includes(-1));
});

test('each README of a room begins with what the room is', () => {
  for (const room of ['format', 'generator', 'output', 'proxy', 'test'])
    assert.match(readFileSync(join(room, 'README.md'), 'utf8'), /^# .+\n\n[^#\n|`<!]/, room);
});
