// What simulations are about: releases of real datasets in memory, the requests that are made, and the right answer to
// each.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { RELEASE_FILE, releasePath } from '../../format/layout.ts';
import { currentToJson } from '../../format/write/texts.ts';
import { assembleServer } from '../../proxy/assemble-server.ts';
import { Releases } from '../../proxy/data/hosted-releases.ts';
import { type Origin, OriginError } from '../../proxy/origin/origin.ts';
import { squares, writeDataset } from '../support/datasets/write-dataset.ts';
import { filesUnder, sha256 } from '../support/files.ts';
import { buildUnchecked } from '../support/releases/build-release.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { Connection } from './connection.ts';
import { VirtualTime } from './virtual-time.ts';

/** A release; another one may have the same id. */
export interface SimulatedRelease {
  id: string;
  /** SHA-256 of its release.json. */
  digest: string;
  files: ReadonlyMap<string, Buffer>;
  answers: Map<string, Expected>;
}

export interface Expected {
  body: Buffer;
  etag: string;
  link: string | undefined;
}

/** What can be asked for, of the release that is current. */
const CURRENT: readonly string[] = [
  '/api/v1/geojsonl/lv0',
  '/api/v1/fc/lv0?page-size=7&start-at=98',
  '/api/v1/geojsonl/lv0?page-size=9&start-at=96&geometry=none',
  '/api/v1/fc/lv0?page-size=30&start-at=90&geometry=low',
  '/api/v1/geojsonl/lv0?geometry=low',
  '/api/v1/fc/lv0?contains=5.5,0.5&geometry=low',
  '/api/v1/fc/lv0?contains=5.5,0.5',
  // Nothing is there.
  '/api/v1/fc/lv0?contains=5.5,50.5&geometry=low',
  '/api/v1/geojsonl/lv3?contains=5.5,0.5&geometry=none',
  '/api/v1/fc/lv1?bbox=3,0,9,1&page-size=3',
  '/api/v1/geojsonl/lv1?gid-0=A3',
  '/api/v1/at?point=5.5,0.5',
  '/api/v1/names/lv0',
  '/api/v1/download/lv0.geojsonl.gz',
  '/api/v1/download/lv1.geojson.gz?gid-0=A7&geometry=low',
];

export const CODINGS = ['gzip', 'identity'] as const;
export type Coding = (typeof CODINGS)[number];

export function requestKey(target: string, coding: Coding): string {
  return `${coding} ${target}`;
}

/** The releases, with the right answers; the first ones have the ids r0 to r2, the others r0 and r1 again. */
export async function simulatedReleases(): Promise<SimulatedRelease[]> {
  const folder = temporaryFolder();
  const builds = ['a-r0', 'a-r1', 'a-r2', 'b-r0', 'b-r1'];
  const countries = (from: number, to: number) =>
    squares('ADM_0', ['GID_0'], ...Array.from({ length: to - from }, (_, i) => [`A${from + i}`]));
  const gids = Array.from({ length: 40 }, (_, i) => [`A${i % 20}`, `A${i % 20}.${i}_1`]);
  const regions = squares('ADM_1', ['GID_0', 'GID_1'], ...gids);
  // Its bytes are the same each time: those of a GeoPackage have a date.
  const source = [countries(0, 150), regions].map((layer) =>
    writeDataset(join(folder, `${layer.name}.geojson`), 'GeoJSON', [layer]),
  );
  // Without a unit before it, another unit is the first of the second file.
  const left = ['', 'A30', 'A149', 'A31', 'A148'];
  for (const [i, name] of builds.entries())
    await buildUnchecked(source, join(folder, name), {
      release: name.slice(2),
      storedPages: 'unfiltered',
      cells: true,
      geometries: ['full', 'low', 'none'],
      where: [{ level: 0, value: `GID_0 <> '${left[i]}'` }],
    });
  return Promise.all(
    builds.map(async (name) => {
      const out = join(folder, name);
      const files = new Map(filesUnder(out).map((path) => [path, readFileSync(join(out, path))]));
      const id = name.slice(2);
      const release = {
        id,
        digest: sha256(contentOf(files, `${releasePath(id)}/${RELEASE_FILE}`)),
        files,
        answers: new Map(),
      };
      await addAnswers(release);
      return release;
    }),
  );
}

function contentOf(files: ReadonlyMap<string, Buffer>, path: string): Buffer {
  const content = files.get(path);
  if (content === undefined) throw new OriginError('missing', path);
  return content;
}

/** The text of current.json for some releases, the first of which is current. */
export function pointerTo(hosted: readonly SimulatedRelease[]): string {
  const ids = hosted.map(({ id }) => id);
  const [release = ''] = ids;
  return currentToJson({ release, hosted: ids, digests: new Map(hosted.map(({ id, digest }) => [id, digest])) });
}

/** Asks a service without faults for all that is asked for later, and for what its answers link to. */
async function addAnswers(release: SimulatedRelease): Promise<void> {
  const pointer = Buffer.from(pointerTo([release]));
  const read: Origin['read'] = async (path, extent) => {
    const content = path === 'current.json' ? pointer : contentOf(release.files, path);
    const from = typeof extent === 'number' ? 0 : extent.offset;
    // A reader may change what it gets.
    return Buffer.from(content.subarray(from, typeof extent === 'number' ? undefined : from + extent.length));
  };
  const origin: Origin = { read };
  const releases = new Releases(origin);
  await releases.refresh();
  const { server } = assembleServer(publicSettings(origin), releases, () => {}, { assets: new Map() });
  const time = new VirtualTime();
  const pinned = `/api/v1/download/lv0.geojsonl.gz?release=${release.id}`;
  const targets = [...CURRENT, pinned];
  for (const target of targets)
    for (const coding of CODINGS) {
      const connection = new Connection(time, requestText('GET', target, coding), { paceMs: 0, leavesMs: undefined });
      server.emit('connection', connection);
      await new Promise((resolve) => connection.once('close', resolve));
      const { response } = connection;
      if (response?.status !== 200 || !response.isWhole)
        throw new Error(`${target}: ${response?.status} ${response?.body}`);
      const [etag = '', link] = ['etag', 'link'].map((name) => response.headers.get(name));
      release.answers.set(requestKey(target, coding), { body: Buffer.from(response.body), etag, link });
      const next = /<https?:\/\/[^/>]+([^>]+)>; rel="next"/.exec(link ?? '')?.[1];
      // Two pages further are enough.
      if (next !== undefined && targets.length < CURRENT.length + 12 && !targets.includes(next)) targets.push(next);
    }
}

export function isPinned(target: string): boolean {
  return !CURRENT.includes(target);
}

export const CURRENT_TARGETS = CURRENT;

export function publicSettings(origin: Origin) {
  return {
    origin,
    tokenRules: undefined,
    publicUrl: undefined,
    title: undefined,
    trustedProxies: undefined,
    resourceMetadata: undefined,
    limits: undefined,
    hasExplorer: false,
  };
}

export function requestText(method: string, target: string, coding: Coding, headers: readonly string[] = []): string {
  const all = ['Host: simulation.test', 'Connection: close', `Accept-Encoding: ${coding}`, ...headers];
  return `${method} ${target} HTTP/1.1\r\n${all.join('\r\n')}\r\n\r\n`;
}
