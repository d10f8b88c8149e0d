// The metrics of a proxy, as Prometheus reads them.
import { send } from '../http/http-client.ts';
import { until } from '../until.ts';
import type { Running } from './proxy-process.ts';

/** The values of a scrape by their series, such as `boundaries_origin_errors_total{kind="slow"}`. */
export type Scrape = ReadonlyMap<string, number>;

/** The address of its metrics. @param running was started with --metrics-port */
export function metricsOf({ says }: Running): Promise<string> {
  return says(/metrics at (http:\S+)\/metrics/);
}

/** The text of the metrics at an address. */
export async function metricsText(url: string): Promise<string> {
  return (await send({ url }, '/metrics', { authorization: undefined })).body.toString();
}

/** The metrics at an address. */
export async function scrape(url: string): Promise<Scrape> {
  return seriesIn(await metricsText(url));
}

/** Scrapes until the metrics say so. */
export async function untilSaid(url: string, isSaid: (scraped: Scrape) => boolean): Promise<Scrape> {
  let scraped = await scrape(url);
  await until(
    async () => {
      scraped = await scrape(url);
      return isSaid(scraped);
    },
    () => [...scraped].filter(([series]) => series.startsWith('boundaries')).join('\n'),
  );
  return scraped;
}

/** The values of a text in Prometheus' format, by their series. */
export function seriesIn(text: string): Scrape {
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(
    lines.map((line) => {
      const end = line.lastIndexOf(' ');
      return [line.slice(0, end), Number(line.slice(end + 1))];
    }),
  );
}
