// A server of pages with maps as somebody's own site would have them: a page, and MapLibre in place of unpkg.com, from
// another origin.
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { join } from 'node:path';

/** The address of MapLibre in the pages. */
export const LIBRARY = 'https://unpkg.com/maplibre-gl@6.17.0/dist';

/** The server, which is to listen on the loopback, and what it serves. */
export interface PageServer {
  server: Server;
  /**
   * Serves a page from now on, for a service.
   * @param port on which the server listens
   * @param token of the service; empty where it is public
   */
  serve(page: string, port: number, service: string, token: string): void;
}

export function createPageServer(): PageServer {
  let served = '';
  const server = createServer((req, res) => {
    const name = /^\/dist\/([\w.-]+)/.exec(req.url ?? '')?.[1];
    const isScript = name?.endsWith('.mjs');
    // As unpkg allows.
    res.setHeader('Access-Control-Allow-Origin', '*');
    res.setHeader('Content-Type', isScript ? 'text/javascript' : name === undefined ? 'text/html' : 'text/css');
    res.end(name === undefined ? served : readFileSync(join('node_modules/maplibre-gl/dist', name)));
  });
  const serve = (page: string, port: number, service: string, token: string): void => {
    served = page
      .replaceAll(LIBRARY, `http://localhost:${port}/dist`)
      .replace('http://127.0.0.1:8080', service)
      .replace("token = ''", `token = '${token}'`);
  };
  return { server, serve };
}
