// The hot page beside what people would pick instead: nginx and file servers for Node, each on one core, with the same
// tokens, page and headers of the request. The packages are installed into a folder of this run.

import { createPublicKey } from 'node:crypto';
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { peakOf } from '../load/load.ts';
import { hasProgram, type Row, secondsOf } from '../measure/measure.ts';
import { questionOf } from '../requests/questions.ts';
import { hotPath } from '../requests/targets.ts';
import { startNginx } from '../servers/nginx.ts';
import { startNode } from '../servers/servers.ts';
import { answersTo, receive } from '../servers/service.ts';
import { type Bench, cycleOf, inTurn } from './limit.ts';

/** Something to compare with. */
interface Peer {
  what: string;
  goal: string;
  checksTokens: boolean;
  start(): Promise<{ url: string; stop(): Promise<void> }>;
}

const PROGRAM = fileURLToPath(new URL('../servers/peers.js', import.meta.url));
const PACKAGES = [
  'sirv@3',
  'jose@6',
  'fastify@5',
  '@fastify/jwt@10',
  '@fastify/static@10',
  'express@5',
  'serve-static@2',
];
const WARM_UP_SECONDS = 2;

/** Measures all. @throws Error when a package cannot be installed, or an answer is not the proxy's */
export async function compareWithPeers(bench: Bench): Promise<Row[]> {
  const { service, release } = bench;
  const path = hotPath(release);
  const proxy = await service.start(release.out);
  try {
    const [answer] = await answersTo(proxy.url, [path], service.headers('gzip'));
    if (answer === undefined) throw new Error('the proxy gave no answer');
    const rows: Row[] = [];
    for (const peer of await preparePeers(bench, path, answer.body))
      rows.push(await comparePeer(bench, proxy.url, path, answer.body.length, peer));
    return rows;
  } finally {
    await proxy.stop();
  }
}

async function comparePeer(bench: Bench, url: string, path: string, bytes: number, peer: Peer): Promise<Row> {
  const { service, loads } = bench;
  const server = await peer.start();
  try {
    const { status, body } = await receive(server.url + path, service.headers('gzip'));
    if (status !== 200 || body.length !== bytes) throw new Error(`${peer.what}: ${status}, ${body.length} bytes`);
    const refused = await receive(server.url + path, { authorization: service.authorizations.forged });
    if (peer.checksTokens && refused.status !== 401) throw new Error(`${peer.what} accepts a forged token`);
    const question = questionOf('hot', bench.release);
    const cycle = cycleOf(bench, question);
    for (const warmed of [url, server.url]) await peakOf(loads, warmed, cycle, WARM_UP_SECONDS);
    const figures = await inTurn(bench.bursts, `hot page beside ${peer.what}`, url, server.url, (measured) =>
      peakOf(loads, measured, cycle),
    );
    return { what: question.what, control: peer.what, unit: 'requests/s', figures, target: peer.goal };
  } finally {
    await server.stop();
  }
}

async function preparePeers({ service, loads }: Bench, path: string, gzip: Buffer): Promise<Peer[]> {
  const folder = join(loads.folder, 'peers');
  const site = join(folder, 'site');
  const gzipped = join(folder, 'gzipped');
  for (const root of [site, gzipped]) mkdirSync(join(root, dirname(path)), { recursive: true });
  writeFileSync(join(site, path), gunzipSync(gzip));
  writeFileSync(join(site, `${path}.gz`), gzip);
  writeFileSync(join(gzipped, path), gzip);
  writeFileSync(join(folder, 'package.json'), '{ "type": "module", "private": true }');
  copyFileSync(PROGRAM, join(folder, 'peers.js'));
  await secondsOf('npm', [
    'install',
    '--silent',
    '--no-audit',
    '--no-fund',
    '--engine-strict=false',
    '--prefix',
    folder,
    ...PACKAGES,
  ]);
  const [jwk] = JSON.parse(readFileSync(service.jwks, 'utf8')).keys;
  const pem = createPublicKey({ key: jwk, format: 'jwk' }).export({ type: 'spki', format: 'pem' });
  const { issuer, audience } = service;
  const config = join(folder, 'config.json');
  writeFileSync(config, JSON.stringify({ site, gzipped, jwk, pem, issuer, audience }));
  const node = (name: string) => () => startNode(loads.machine, [join(folder, 'peers.js'), name, config]);
  const peers: Peer[] = [
    { what: 'sirv, jose, remembered tokens', goal: '>= 3', checksTokens: true, start: node('sirv') },
    {
      what: 'fastify, @fastify/jwt (cached), @fastify/static',
      goal: '>= 10',
      checksTokens: true,
      start: node('fastify'),
    },
    { what: 'express, jose, serve-static', goal: '>= 16', checksTokens: true, start: node('express') },
  ];
  if (!hasProgram('nginx')) {
    console.error('nginx is not installed (Debian: nginx-light): it is left out');
    return peers;
  }
  const nginx = (auth?: string) =>
    startNginx({ root: gzipped, folder: loads.folder, machine: loads.machine, path, auth });
  const authenticating = async () => {
    const auth = await node('nothing')();
    const host = await nginx(auth.url);
    const stop = async (): Promise<void> => void (await Promise.all([host.stop(), auth.stop()]));
    return { url: host.url, stop };
  };
  const unchecked = { what: 'nginx that checks nothing', goal: '>= 0.5, stretch 0.6' };
  const checked = { what: 'nginx, auth_request to a bare Node server that answers 204', goal: '>= 4' };
  return [
    { ...unchecked, checksTokens: false, start: () => nginx() },
    { ...checked, checksTokens: false, start: authenticating },
    ...peers,
  ];
}
