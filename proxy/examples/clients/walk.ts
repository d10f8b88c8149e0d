// Every unit of a listing, page by page, with fetch: in Node, Deno, Bun or a browser: one GeoJSON Feature a line.
//
//   TOKEN=... npx tsx walk.ts 'http://127.0.0.1:8080/api/v1/fc/lv1?gid-0=ESP'
import type { Feature, FeatureCollection } from 'geojson';

/** The features of the listing at `url`, of either format, in order of fid. A public service needs no token. */
export async function* walk(url: string, token?: string): AsyncGenerator<Feature> {
  for (let next: string | undefined = url; next !== undefined; ) {
    const answer: Response = await fetch(next, { headers: token ? { authorization: `Bearer ${token}` } : {} });
    if (!answer.ok) throw new Error(`${answer.status}: ${await answer.text()}`);
    const body = await answer.text();
    if (answer.headers.get('content-type') === 'application/geo+json')
      yield* (JSON.parse(body) as FeatureCollection).features;
    else for (const line of body.trimEnd().split('\n')) if (line !== '') yield JSON.parse(line) as Feature;
    next = /<([^>]*)>; rel="next"/.exec(answer.headers.get('link') ?? '')?.[1];
  }
}

const [, , url = ''] = process.argv;
for await (const feature of walk(url, process.env['TOKEN'])) console.log(JSON.stringify(feature));
