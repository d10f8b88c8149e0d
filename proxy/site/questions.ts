// What people ask a service of boundaries, as requests: for /docs, with the answers of the sample release. The tests
// send each and compare.

/** A question, its request, and the response of the sample release. */
export interface Question {
  question: string;
  /** Path and query of a GET. */
  target: string;
  /** The status line, the headers that matter, an empty line, and the body: `…` where it is cut. */
  answer: string;
}

/** The longest body that an answer shows whole, in characters. */
export const SHOWN_CHARS = 460;

/** Cursors differ with every release: this stands for one. */
export const SHOWN_CURSOR = 'c_AgEA...';

/** The headers that an answer shows. */
export const SHOWN_HEADERS = ['Content-Type', 'Content-Disposition', 'Link', 'Boundaries-Matched'] as const;

/** In the order in which a reader meets the parameters. */
export const QUESTIONS: readonly Question[] = [
  {
    question: 'The first page: all countries, two at a time, without their geometry',
    target: '/api/v1/geojsonl/lv0?page-size=2&geometry=none',
    answer: `HTTP/1.1 200 OK
Content-Type: application/x-ndjson
Link: <http://boundaries.example.org/api/v1/geojsonl/lv0?geometry=none&page-size=2&start-at=c_AgEA...>; rel="next"
Boundaries-Matched: 255

{"type":"Feature","id":1,"bbox":[-70.0621006,12.4183543,-69.8784988,12.6328036],"properties":{"fid":1,"GID_0":"ABW","COUNTRY":"Aruba"},"geometry":null}
{"type":"Feature","id":2,"bbox":[60.4860049,29.3868673,74.8933489,38.4731016],"properties":{"fid":2,"GID_0":"AFG","COUNTRY":"Afghanistan"},"geometry":null}`,
  },
  {
    question: 'One unit by its GID',
    target: '/api/v1/fc/lv1?gid-1=PRI.35_1',
    answer: `HTTP/1.1 200 OK
Content-Type: application/geo+json
Boundaries-Matched: 1

{"type":"FeatureCollection","features":[
{"type":"Feature","id":62,"bbox":[-67.1613674,18.1063233,-67.0859922,18.1535715],"properties":{"fid":62,"GID_1":"PRI.35_1","GID_0":"PRI","COUNTRY":"Puerto Rico","NAME_1":"Hormigueros","TYPE_1":"Municipio","ENGTYPE_1":"Municipality","CC_1":"72067"},"geometry":{"type":"MultiPolygon","coordinates":[[[[-67.1613674,18.1535715],[-67.1003494,18.1063233],[-67.0859922,18.1501353],[-67.1613674,18.1535715]]]]}}
]}`,
  },
  {
    question: 'The attributes of all provinces of a country, in one request',
    target: '/api/v1/geojsonl/lv2?gid-0=ESP&geometry=none',
    answer: `HTTP/1.1 200 OK
Content-Type: application/x-ndjson
Boundaries-Matched: 52

{"type":"Feature","id":1,"bbox":[-3.1392986,36.6803886,-1.630138,37.9163434],"properties":{"fid":1,"GID_2":"ESP.1.1_1","GID_0":"ESP","COUNTRY":"Spain","GID_1":"ESP.1_1","NAME_1":"Andalucía","NAME_2":"Almería","TYPE_2":"Provincia","ENGTYPE_2":"Province","CC_2":"04"},"geometry":null}
{"type":"Feature","id":2,"bbox":[-6.443258,36.0099033,-5.0870377,37.0519829],"properties":{"fid":2,"GID_2":"ESP.1.2_1","GID_0":"ESP","COUNTRY":"Spain","GID_1":"ESP.1_1","NAME_1"…`,
  },
  {
    question: 'The same provinces for a web map',
    target: '/api/v1/fc/lv2?gid-0=ESP&geometry=low',
    answer: `HTTP/1.1 200 OK
Content-Type: application/geo+json
Boundaries-Matched: 52

{"type":"FeatureCollection","features":[
{"type":"Feature","id":1,"bbox":[-3.1392986,36.6803886,-1.630138,37.9163434],"properties":{"fid":1,"GID_2":"ESP.1.1_1","GID_0":"ESP","COUNTRY":"Spain","GID_1":"ESP.1_1","NAME_1":"Andalucía","NAME_2":"Almería","TYPE_2":"Provincia","ENGTYPE_2":"Province","CC_2":"04"},"geometry":{"type":"MultiPolygon","coordinates":[[[[-2.775,37.246],[-2.779,37.262],[-2.795,37.264],[-2.831,37.28],[-2.845,37.28],[-2.858,37.251],[-2.869,…`,
  },
  {
    question: 'Which municipality is at a point? Longitude first',
    target: '/api/v1/fc/lv3?contains=-3.7038,40.4168&geometry=none',
    answer: `HTTP/1.1 200 OK
Content-Type: application/geo+json
Boundaries-Matched: 1

{"type":"FeatureCollection","features":[
{"type":"Feature","id":7344,"bbox":[-3.8860069,40.3123186,-3.5194001,40.6435221],"properties":{"fid":7344,"GID_3":"ESP.13.1.78_1","GID_0":"ESP","COUNTRY":"Spain","GID_1":"ESP.13_1","NAME_1":"Comunidad de Madrid","GID_2":"ESP.13.1_1","NAME_2":"Madrid","NAME_3":"Madrid","TYPE_3":"Municipio","ENGTYPE_3":"Municipality","CC_3":"28079"},"geometry":null}
]}`,
  },
  {
    question: 'Which provinces are in a box of the map?',
    target: '/api/v1/geojsonl/lv2?bbox=-3,42.8,-2,43.5&geometry=none',
    answer: `HTTP/1.1 200 OK
Content-Type: application/x-ndjson
Boundaries-Matched: 5

{"type":"Feature","id":18,"bbox":[-4.3358312,41.4513357,-2.5162919,43.1994444],"properties":{"fid":18,"GID_2":"ESP.7.2_1","GID_0":"ESP","COUNTRY":"Spain","GID_1":"ESP.7_1","NAME_1":"Castilla y León","NAME_2":"Burgos","TYPE_2":"Provincia","ENGTYPE_2":"Province","CC_2":"09"},"geometry":null}
{"type":"Feature","id":46,"bbox":[-2.5005481,41.9101739,-0.7282403,43.3141539],"properties":{"fid":46,"GID_2":"ESP.15.1_1","GID_0":"ESP","COUNTRY":"Spain","GID_1":"ESP.1…`,
  },
  {
    question: 'All municipalities of a country as one file',
    target: '/api/v1/download/lv3.geojsonl.gz?gid-0=ESP',
    answer: `HTTP/1.1 200 OK
Content-Type: application/gzip
Content-Disposition: attachment; filename="boundaries-sample-lv3-ESP.geojsonl.gz"
Boundaries-Matched: 8212`,
  },
];
