// The code samples of the explorer's request tab, run as they are printed: every unit of a listing, whatever its
// parent's GID has in it, and a token that is refused.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { codeFor, LANGUAGES } from '../../proxy/explorer/share/code-samples.ts';
import { countriesWith } from '../support/datasets/small-datasets.ts';
import { jsonLines } from '../support/files.ts';
import { pagesFrom, textOf } from '../support/http/http-client.ts';
import { startService, TOKEN } from '../support/http/in-process-proxy.ts';
import { listen } from '../support/http/listen.ts';
import { without } from '../support/processes/programs.ts';
import { buildLayers } from '../support/releases/build-release.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/**
 * What ends a quotation, starts a substitution or a pattern, or ends a line, in a shell, in Python, JavaScript or curl.
 */
const HOSTILE = `'"; $(touch owned) \`touch owned\` \\'\\\n\${TOKEN} {1,2} [3-4] %41 &gid-1=x # * ? ! é東`;

const folder = await buildLayers(countriesWith('AAA', HOSTILE));
const proxy = await startService(folder);
const open = await startService(folder, { isPublic: true });

const PROGRAMS: Record<string, { program: string; file: string; needs: string[] }> = {
  shell: { program: 'sh', file: 'walk.sh', needs: ['curl --version'] },
  python: { program: 'python3', file: 'walk.py', needs: ['python3 --version'] },
  javascript: { program: process.execPath, file: 'walk.mjs', needs: [] },
};

const runFile = promisify(execFile);

interface Unit {
  id: number;
  properties: object;
}

/** Runs a sample in a folder with nothing else in it. */
async function run(language: string, url: string, token = TOKEN, isPublic = false) {
  const { program, file } = PROGRAMS[language] ?? assert.fail(language);
  const cwd = temporaryFolder();
  writeFileSync(join(cwd, file), codeFor(language, url, isPublic));
  const env = { ...process.env, TOKEN: token, PYTHONIOENCODING: 'utf-8' };
  const ended = await runFile(program, [file], { cwd, env }).catch((error) => error);
  const files = readdirSync(cwd).filter((name) => name !== file);
  const foreign = files.filter((name) => !/^(headers\.txt|units\.geojsonl)$/.test(name));
  assert.deepEqual(foreign, []);
  const { code = 0, stdout, stderr } = ended;
  return { code, errors: stderr, units: language === 'shell' ? unitsIn(cwd, files) : unitsPrinted(stdout) };
}

/** The units in the files that the shell's sample writes. */
function unitsIn(cwd: string, files: string[]): Unit[] {
  return files.sort().flatMap((name) => {
    const text = readFileSync(join(cwd, name), 'utf8');
    return name === 'units.geojsonl' ? jsonLines(text) : [];
  });
}

function unitsPrinted(output: string): Unit[] {
  const lines = output.split('\n').filter((line) => line !== '');
  return lines.map((line) => {
    const [, id = '', properties = ''] = /^(\d+) (.*)$/.exec(line) ?? [];
    return { id: Number(id), properties: JSON.parse(properties) };
  });
}

/** What a walk without the samples gives, one page after another. */
async function walked(path: string): Promise<Unit[]> {
  const units: Unit[] = [];
  for await (const answer of pagesFrom(proxy, path)) {
    units.push(...jsonLines(textOf(answer)));
  }
  return units.map(({ id, properties }) => ({ id, properties }));
}

for (const { id, title } of LANGUAGES) {
  const skip = without(...(PROGRAMS[id]?.needs ?? []));
  for (const isPublic of [false, true]) {
    const kind = isPublic ? 'public' : 'private';
    test(`${title} gets every unit of a ${kind} listing, each once, under a parent whose GID is hostile to it`, {
      skip,
    }, async () => {
      const path = `/api/v1/geojsonl/lv2?gid-0=${encodeURIComponent(HOSTILE)}&page-size=1`;
      const expected = await walked(path);
      const ids = expected.map((unit) => unit.id);
      assert.deepEqual(ids, [1, 2, 4]);
      const { url } = isPublic ? open : proxy;
      const { code, units, errors } = await run(id, `${url}${path}`, isPublic ? '' : TOKEN, isPublic);
      assert.deepEqual([code, errors], [0, '']);
      assert.deepEqual(
        units.map((unit) => ({ id: unit.id, properties: unit.properties })),
        expected,
      );
      assert.equal(/TOKEN|Authorization|os\b/.test(codeFor(id, url, isPublic)), !isPublic);
    });
  }

  test(`${title} ends with the status when the token expires between two pages`, { skip }, async () => {
    const server = createServer(({ url = '' }, res) => {
      if (url.includes('start-at')) return res.writeHead(401).end();
      res.setHeader('Link', `<${expiring}${url}&start-at=c_x>; rel="next"`);
      return res.end('{"id":1,"properties":{}}\n');
    });
    const expiring = `http://127.0.0.1:${await listen(server)}`;
    const { code, errors, units } = await run(id, `${expiring}/api/v1/geojsonl/lv2?gid-0=A`);
    assert.notEqual(code, 0);
    assert.match(errors, /\b401\b/);
    assert.equal(units.length, 1);
  });

  test(`${title} ends with the status when the token is refused, and with no units when nothing matches`, {
    skip,
  }, async () => {
    const refused = await run(id, `${proxy.url}/api/v1/geojsonl/lv0`, 'bad');
    assert.match(refused.errors, /\b401\b/);
    assert.deepEqual(refused.units, []);
    const empty = await run(id, `${proxy.url}/api/v1/geojsonl/lv2?gid-0=none`);
    assert.deepEqual([empty.code, empty.errors, empty.units], [0, '', []]);
  });
}
