// The map that is shown, for another page: in a frame of /embed, and drawn by MapLibre GL from the tiles of the service.
import type { About } from '../api/about.ts';
import { gidsFromBelow, type Place } from '../state/place.ts';
import { placeToHash, viewToText } from '../state/place-hash.ts';
import type { Sample } from './code-samples.ts';

export interface SharedMap {
  about: Pick<About, 'levels' | 'lang' | 'embedOrigins'>;
  place: Place;
  /** What it is called. */
  title: string;
  /** The first zoom at which its level has tiles. */
  firstZoom: number;
  /** The address of the API, with a slash at the end. */
  api: string;
  /** Does the service want no token? */
  isPublic: boolean;
}

/** Whoever copies the code puts a token in the place of the name. */
const HEADERS = "{ Authorization: 'Bearer YOUR_TOKEN' }";
const LIBRARY = 'https://unpkg.com/maplibre-gl@6.17.0/dist/maplibre-gl';

export function mapSamples(map: SharedMap): Sample[] {
  const library = { id: 'maplibre', title: 'MapLibre', code: librarySample(map) };
  return map.about.embedOrigins.length === 0
    ? [library]
    : [{ id: 'frame', title: 'Frame', code: frameSample(map) }, library];
}

function frameSample({ about, place, title, api }: SharedMap): string {
  const address = new URL(`../../embed${placeToHash(place, about)}`, api).href;
  return `<!-- For pages of ${about.embedOrigins.join(', ')} -->
<iframe src="${attribute(address)}"
  title="${attribute(`Map: ${title}`)}" loading="lazy"
  style="width: 100%; height: 30rem; border: 0"></iframe>
`;
}

/** The token goes to this service alone, also where somebody adds sources of others. */
function librarySample({ place, firstZoom, api, isPublic }: SharedMap): string {
  const { level, view } = place;
  const inside = gidsFromBelow(place).map((named) => {
    const name = named.level === level ? 'gid' : `gid_${named.level}`;
    return `['==', ['get', '${name}'], ${literal(named.gid)}]`;
  });
  const filter = inside.length === 0 ? '' : ` filter: ['all', ${inside.join(', ')}],`;
  const [zoom = '', latitude, longitude] = view === undefined ? [] : viewToText(view).split('/');
  const options = [
    "container: 'map', style, attributionControl: { compact: false },",
    ...(view ? [`center: [${longitude}, ${latitude}], zoom: ${Math.max(Number(zoom), firstZoom)},`] : []),
    ...(isPublic ? [] : [`transformRequest: (url) => (url.startsWith(api) ? { url, headers: ${HEADERS} } : { url }),`]),
  ];
  return `<link rel="stylesheet" href="${LIBRARY}.css">
<div id="map" style="height: 30rem"></div>
<script type="module">
  import { Map as MapLibre } from '${LIBRARY}.mjs';

  const api = ${literal(api)};
  const source = { type: 'vector', url: api + 'tiles/lv${level}.json' };
  const paint = { 'fill-color': '#a5bee2', 'fill-outline-color': '#10222d' };
  const layer = { id: 'units', type: 'fill', source: 'units', 'source-layer': 'units',${filter} paint };
  const style = { version: 8, sources: { units: source }, layers: [layer] };
  new MapLibre({
${options.map((line) => `    ${line}\n`).join('')}  });
</script>
`;
}

/** As a string of JavaScript in a page, whose script it does not end. */
function literal(text: string): string {
  return `'${JSON.stringify(text).slice(1, -1).replaceAll("'", "\\'").replaceAll('<', '\\u003c')}'`;
}

/** As the value of an attribute in double quotes. */
function attribute(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
}
