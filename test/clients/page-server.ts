// A server of pages with maps as somebody's own site would have them: a page, and libraries in place of unpkg.com, from
// another origin.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { join } from 'node:path';

/** The addresses of libraries in the pages. */
const LIBRARIES = /https:\/\/unpkg\.com\/(maplibre-gl|pmtiles)@([\d.]+)\/dist/g;

/** The server, which is to listen on the loopback, and what it serves. */
export interface PageServer {
  server: Server;
  /**
   * Serves a page from now on, for a service.
   * @param port on which the server listens
   * @param token of the service; empty where it is public
   * @throws AssertionError if it names another version of a library than the project has
   */
  serve(page: string, port: number, service: string, token: string): void;
}

export function createPageServer(): PageServer {
  const { devDependencies } = JSON.parse(readFileSync('package.json', 'utf8'));
  let served = '';
  const server = createServer((req, res) => {
    const [, name, file = ''] = /^\/(maplibre-gl|pmtiles)\/([\w.-]+)/.exec(req.url ?? '') ?? [];
    // As unpkg allows.
    res.setHeader('Access-Control-Allow-Origin', '*');
    const type = name === undefined ? 'text/html' : file.endsWith('.css') ? 'text/css' : 'text/javascript';
    res.setHeader('Content-Type', type);
    res.end(name === undefined ? served : readFileSync(join('node_modules', name, 'dist', file)));
  });
  const serve = (page: string, port: number, service: string, token: string): void => {
    for (const [url, name = '', version] of page.matchAll(LIBRARIES)) assert.equal(version, devDependencies[name], url);
    served = page
      .replaceAll(LIBRARIES, `http://localhost:${port}/$1`)
      .replace('http://127.0.0.1:8080', service)
      .replace("token = ''", `token = '${token}'`);
  };
  return { server, serve };
}
