// What people ask a service of boundaries, as requests with the answers of the sample release: at least one for each path
// of the API. test/support/write-answers.ts writes the answers.

/** What questions are about. */
export const QUESTION_GROUPS = [
  'pages',
  'service',
  'places',
  'search',
  'tree',
  'names',
  'downloads',
  'tiles',
  'changes',
  'ogc',
  'health',
] as const;
export type QuestionGroup = (typeof QUESTION_GROUPS)[number];

/** A question, its request, and the response of the sample release. */
export interface Question {
  group: QuestionGroup;
  question: string;
  method: 'GET' | 'HEAD';
  /** Path and query. */
  target: string;
  /** The status line, the headers that matter, an empty line, and the body: `…` where its middle is left out. */
  answer: string;
}

/** In the order of proxy/README.md. */
export const QUESTIONS: readonly Question[] = [
  {
    group: 'pages',
    question: 'The first page: all countries, two at a time, without their geometry',
    method: 'GET',
    target: '/api/v1/geojsonl/lv0?page-size=2&geometry=none',
    answer: `HTTP/1.1 200 OK
Content-Type: application/x-ndjson
Link: <http://boundaries.example.org/api/v1/geojsonl/lv0?geometry=none&page-size=2&start-at=c_AgEA...>; rel="next"
Boundaries-Matched: 255

{"type":"Feature","id":1,"bbox":[-70.0621006,12.4183543,-69.8784988,12.6328036],"properties":{"fid":1,"GID_0":"ABW","COUNTRY":"Aruba","ISO_A2":"AW","NAME_AR":"أروبا","NAME_ES":"Aruba","NAME_FR":"Aruba"},"geometry":null}
{"type":"Feature","id":2,"bbox":[60.4860049,29.3868673,74.8933489,38.4731016],"properties":{"fid":2,"GID_0":"AFG","COUNTRY":"Afghanistan","ISO_A2":"AF","NAME_AR":"أفغانستان","NAME_ES":"Afganistán","NAME_FR":"Afghanistan"},"geometry":null}`,
  },
  {
    group: 'pages',
    question: 'One unit by its GID',
    method: 'GET',
    target: '/api/v1/fc/lv1?gid-1=PRI.35_1',
    answer: `HTTP/1.1 200 OK
Content-Type: application/geo+json
Boundaries-Matched: 1

{"type":"FeatureCollection","features":[
{"type":"Feature","id":62,"bbox":[-67.1613674,18.1063233,-67.0859922,18.1535715],"properties":{"fid":62,"GID_1":"PRI.35_1","GID_0":"PRI","COUNTRY":"Puerto Rico","NAME_1":"Hormigueros","TYPE_1":"Municipio","ENGTYPE_1":"Municipality","CC_1":"72067","FIPS_1":"72067","INE_1":null},"geometry":{"type":"MultiPolygon","coordinates":[[[[-67.1613674,18.1535715],[-67.1003494,18.1063233],[-67.0859922,18.1501353],[-67.1613674,18.1535715]]]]}}
]}`,
  },
  {
    group: 'pages',
    question: 'The attributes of all provinces of a country, in one request',
    method: 'GET',
    target: '/api/v1/geojsonl/lv2?gid-0=ESP&geometry=none',
    answer: `HTTP/1.1 200 OK
Content-Type: application/x-ndjson
Boundaries-Matched: 52

{"type":"Feature","id":1,"bbox":[-3.1392986,36.6803886,-1.630138,37.9163434],"properties":{"fid":1,"GID_2":"ESP.1.1_1","GID_0":"ESP","COUNTRY":"Spain","GID_1":"ESP.1_1","NAME_1":"Andalucía","NAME_2":"Almería","VARNAME_2":"NA","TYPE_2":"Provincia","ENGTYPE_2":"Province","CC_2":"04","FIPS_2":null,"INE_2":"04"},"geometry"…":"ESP.19_1","NAME_1":"Ciudad Autónoma de Melilla","NAME_2":"Melilla","VARNAME_2":"NA","TYPE_2":"Ciudad Autónoma","ENGTYPE_2":"Autonomous City","CC_2":"52","FIPS_2":null,"INE_2":"52"},"geometry":null}`,
  },
  {
    group: 'pages',
    question: 'The same provinces for a web map',
    method: 'GET',
    target: '/api/v1/fc/lv2?gid-0=ESP&geometry=low',
    answer: `HTTP/1.1 200 OK
Content-Type: application/geo+json
Boundaries-Matched: 52

{"type":"FeatureCollection","features":[
{"type":"Feature","id":1,"bbox":[-3.1392986,36.6803886,-1.630138,37.9163434],"properties":{"fid":1,"GID_2":"ESP.1.1_1","GID_0":"ESP","COUNTRY":"Spain","GID_1":"ESP.1_1","NAME_1":"Andalucía","NAME_2":"Almería","VARNAME_2":"NA","TYPE_2":"Provincia","ENGTYPE_2":"Province","CC_2":"0…us City","CC_2":"52","FIPS_2":null,"INE_2":"52"},"geometry":{"type":"MultiPolygon","coordinates":[[[[-2.953,35.32],[-2.971,35.289],[-2.95,35.265],[-2.928,35.275],[-2.932,35.294],[-2.953,35.32]]]]}}
]}`,
  },
  {
    group: 'pages',
    question: 'Which municipality is at a point? Longitude first',
    method: 'GET',
    target: '/api/v1/fc/lv3?contains=-3.7038,40.4168&geometry=none',
    answer: `HTTP/1.1 200 OK
Content-Type: application/geo+json
Boundaries-Matched: 1

{"type":"FeatureCollection","features":[
{"type":"Feature","id":7344,"bbox":[-3.8860069,40.3123186,-3.5194001,40.6435221],"properties":{"fid":7344,"GID_3":"ESP.13.1.78_1","GID_0":"ESP","COUNTRY":"Spain","GID_1":"ESP.13_1","NAME_1":"Comunidad de Madrid","GID_2":"ESP.13.1_1","NAME_2":"Madrid","NAME_3":"Madrid","TYPE_3":"Municipio","ENGTYPE_3":"Municipality","CC_3":"28079"},"geometry":null}
]}`,
  },
  {
    group: 'pages',
    question: 'Which provinces are in a box of the map?',
    method: 'GET',
    target: '/api/v1/geojsonl/lv2?bbox=-3,42.8,-2,43.5&geometry=none',
    answer: `HTTP/1.1 200 OK
Content-Type: application/x-ndjson
Boundaries-Matched: 5

{"type":"Feature","id":18,"bbox":[-4.3358312,41.4513357,-2.5162919,43.1994444],"properties":{"fid":18,"GID_2":"ESP.7.2_1","GID_0":"ESP","COUNTRY":"Spain","GID_1":"ESP.7_1","NAME_1":"Castilla y León","NAME_2":"Burgos","VARNAME_2":"NA","TYPE_2":"Provincia","ENGTYPE_2":"Province","CC_2":"09","FIPS_2":null,"INE_2":"09"},"g…":"Spain","GID_1":"ESP.16_1","NAME_1":"País Vasco/Euskadi","NAME_2":"Bizkaia","VARNAME_2":"Vizcaya","TYPE_2":"Provincia","ENGTYPE_2":"Province","CC_2":"48","FIPS_2":null,"INE_2":"48"},"geometry":null}`,
  },
  {
    group: 'pages',
    question: 'Which provinces share a border with the province of Madrid?',
    method: 'GET',
    target: '/api/v1/geojsonl/lv2?touches=ESP.13.1_1&geometry=none',
    answer: `HTTP/1.1 200 OK
Content-Type: application/x-ndjson
Boundaries-Matched: 5

{"type":"Feature","id":17,"bbox":[-5.7370338,40.0812839,-4.1603997,41.1637541],"properties":{"fid":17,"GID_2":"ESP.7.1_1","GID_0":"ESP","COUNTRY":"Spain","GID_1":"ESP.7_1","NAME_1":"Castilla y León","NAME_2":"Ávila","VARNAME_2":"NA","TYPE_2":"Provincia","ENGTYPE_2":"Province","CC_2":"05","FIPS_2":null,"INE_2":"05"},"ge…COUNTRY":"Spain","GID_1":"ESP.8_1","NAME_1":"Castilla-La Mancha","NAME_2":"Toledo","VARNAME_2":"NA","TYPE_2":"Provincia","ENGTYPE_2":"Province","CC_2":"45","FIPS_2":null,"INE_2":"45"},"geometry":null}`,
  },
  {
    group: 'pages',
    question: 'A GID in small letters finds nothing. The Link header has the request that does',
    method: 'GET',
    target: '/api/v1/fc/lv1?gid-0=esp',
    answer: `HTTP/1.1 200 OK
Content-Type: application/geo+json
Link: <http://boundaries.example.org/api/v1/fc/lv1?gid-0=ESP>; rel="alternate"
Boundaries-Matched: 0

{"type":"FeatureCollection","features":[
]}`,
  },
  {
    group: 'service',
    question: 'What is served?',
    method: 'GET',
    target: '/api/v1/',
    answer: `HTTP/1.1 200 OK
Content-Type: application/json

{"release":"sample","digest":"9f86d0...","date":null,"releases":["sample"],"attribution":["Countries: Made with Natural Earth (naturalearthdata.com), public domain","States and counties of the United States: U.S. Census Bureau, cartographic boundary files 2017, pub…":"http://boundaries.example.org/docs","rel":"service-doc","type":"text/html","title":"Documentation"},{"href":"http://boundaries.example.org/","rel":"related","type":"text/html","title":"Explorer"}]}`,
  },
  {
    group: 'places',
    question: 'Which units of all levels are at a point?',
    method: 'GET',
    target: '/api/v1/at?point=-3.7038,40.4168',
    answer: `HTTP/1.1 200 OK
Content-Type: application/geo+json
Boundaries-Matched: 4

{"type":"FeatureCollection","features":[
{"type":"Feature","id":66,"bbox":[-18.1675817,27.642567,4.3362434,43.7938085],"properties":{"fid":66,"GID_0":"ESP","COUNTRY":"Spain","ISO_A2":"ES","NAME_AR":"إسبانيا","NAME_ES":"España","NAME_FR":"Espagne"},"geometry":null},{"type":"Feature","id":16,"bbox":[-4.5787363,39.8841774…":"Municipality","CC_3":"28079"},"geometry":null}
],"levels":["lv0","lv1","lv2","lv3"],"gids":["ESP","ESP.13_1","ESP.13.1_1","ESP.13.1.78_1"],"names":["Spain","Comunidad de Madrid","Madrid","Madrid"]}`,
  },
  {
    group: 'search',
    question: 'Which units of Spain are called Toledo?',
    method: 'GET',
    target: '/api/v1/search?q=toledo+spain&limit=2',
    answer: `HTTP/1.1 200 OK
Content-Type: application/geo+json
Boundaries-Matched: 6

{"type":"FeatureCollection","features":[
{"type":"Feature","id":30,"bbox":[-5.406413,39.2589296,-2.907639,40.3187811],"properties":{"fid":30,"GID_2":"ESP.8.5_1","GID_0":"ESP","COUNTRY":"Spain","GID_1":"ESP.8_1","NAME_1":"Castilla-La Mancha","NAME_2":"Toledo","VARNAME_2":"NA","TYPE_2":"Provincia","ENGTYPE_2":"Province",…vels":["lv2","lv3"],"gids":["ESP.8.5_1","ESP.8.5.167_1"],"names":["Toledo","Toledo"],"matches":["divided","divided"],"parents":[["Spain","Castilla-La Mancha"],["Spain","Castilla-La Mancha","Toledo"]]}`,
  },
  {
    group: 'tree',
    question: 'What is directly below Spain?',
    method: 'GET',
    target: '/api/v1/children?gid=ESP&page-size=1',
    answer: `HTTP/1.1 200 OK
Content-Type: application/json
Link: <http://boundaries.example.org/api/v1/children?gid=ESP&page-size=1&start-at=c_AgEA...>; rel="next"
Boundaries-Matched: 19

{"unit":{"gid":"ESP","name":"Spain","type":null,"level":"lv0","fid":66,"children":19,"inside":[["lv1",19,"Autonomous Community"],["lv2",52,"Province"],["lv3",8212,"Municipality"]],"area":506890,"view":[-18.17,27.64,4.34,43.8],"codes":{"iso2":"ES"}},"parents":[],"level":"lv1","children":[
{"gid":"ESP.1_1","name":"Andalucía","type":"Autonomous Community","fid":4,"children":8,"inside":[["lv2",8,"Province"],["lv3",786,"Municipality"]],"area":87606,"view":[-7.53,36,-1.63,38.73],"codes":{"ine":"01"}}
]}`,
  },
  {
    group: 'names',
    question: 'The names of all regions',
    method: 'GET',
    target: '/api/v1/names/lv1',
    answer: `HTTP/1.1 200 OK
Content-Type: application/x-ndjson
Boundaries-Matched: 159

["fid","gid","name","type","parent","children","view","inside","parents","area","others","code:fips","code:ine"]
[1,"ASM.1_1","Eastern","District","ASM",0,[-170.75,-14.34,-170.54,-14.22],[],null,97.847,[],"60010",null]
[2,"ASM.2_1","Manu'a","District","ASM",0,[-169.69,-14.28,-169.42,-14.15],[],null,55.655,[],"60020",nu…VIR.2_1","St. John","Island","VIR",0,[-64.85,18.29,-64.65,18.38],[],null,68.865,[],"78020",null]
[159,"VIR.3_1","St. Thomas","Island","VIR",0,[-65.09,18.3,-64.82,18.39],[],null,135.85,[],"78030",null]`,
  },
  {
    group: 'downloads',
    question: 'All municipalities of a country as one file, a Feature a line',
    method: 'HEAD',
    target: '/api/v1/download/lv3.geojsonl.gz?gid-0=ESP',
    answer: `HTTP/1.1 200 OK
Content-Type: application/gzip
Content-Disposition: attachment; filename="boundaries-sample-lv3-ESP.geojsonl.gz"
Boundaries-Matched: 8212`,
  },
  {
    group: 'downloads',
    question: 'The same as one FeatureCollection',
    method: 'HEAD',
    target: '/api/v1/download/lv3.geojson.gz?gid-0=ESP',
    answer: `HTTP/1.1 200 OK
Content-Type: application/gzip
Content-Disposition: attachment; filename="boundaries-sample-lv3-ESP.geojson.gz"
Boundaries-Matched: 8212`,
  },
  {
    group: 'downloads',
    question: 'Which units are at a point, as a file',
    method: 'HEAD',
    target: '/api/v1/download/lv3.cells',
    answer: `HTTP/1.1 200 OK
Content-Type: application/octet-stream
Content-Disposition: attachment; filename="boundaries-sample-lv3.cells"
Boundaries-Matched: 8212`,
  },
  {
    group: 'downloads',
    question: 'Which provinces share a border, as a table',
    method: 'HEAD',
    target: '/api/v1/download/lv2.neighbours.csv.gz',
    answer: `HTTP/1.1 200 OK
Content-Type: application/gzip
Content-Disposition: attachment; filename="boundaries-sample-lv2.neighbours.csv.gz"
Boundaries-Matched: 3194`,
  },
  {
    group: 'downloads',
    question: 'A level as a table, GeoParquet',
    method: 'HEAD',
    target: '/api/v1/download/lv2.parquet',
    answer: `HTTP/1.1 200 OK
Content-Type: application/vnd.apache.parquet
Content-Disposition: attachment; filename="boundaries-sample-lv2.parquet"
Boundaries-Matched: 3194`,
  },
  {
    group: 'downloads',
    question: 'All tiles of a level as one archive',
    method: 'HEAD',
    target: '/api/v1/download/lv1.pmtiles',
    answer: `HTTP/1.1 200 OK
Content-Type: application/vnd.pmtiles
Content-Disposition: attachment; filename="boundaries-sample-lv1.pmtiles"
Boundaries-Matched: 159`,
  },
  {
    group: 'tiles',
    question: 'Where are the tiles of a level?',
    method: 'GET',
    target: '/api/v1/tiles/lv1.json',
    answer: `HTTP/1.1 200 OK
Content-Type: application/json

{"tilejson":"3.0.0","name":"sample lv1","tiles":["http://boundaries.example.org/api/v1/tiles/lv1/{z}/{x}/{y}.mvt?v=9f86d0..."],"vector_layers":[{"id":"units","fields":{"gid":"String","gid_0":"String","colour":"Number","leaf":"Boolean","name":"String"},"minzoom":0,"maxzoom":8},{"id":"borders","fields":{"level":"N…graphic boundary files 2017, public domain; Regions, provinces and municipalities of Spain: derived from boundaries CC BY 4.0 Instituto Geográfico Nacional de España (ign.es), simplified by es-atlas"}`,
  },
  {
    group: 'tiles',
    question: 'A tile: zoom, column, row',
    method: 'HEAD',
    target: '/api/v1/tiles/lv1/5/15/12.mvt',
    answer: `HTTP/1.1 200 OK
Content-Type: application/vnd.mapbox-vector-tile`,
  },
  {
    group: 'changes',
    question: 'Between which releases are changes published? The sample has one release, so none',
    method: 'GET',
    target: '/api/v1/changes',
    answer: `HTTP/1.1 200 OK
Content-Type: application/json

{"changes":[]}`,
  },
  {
    group: 'changes',
    question: 'The changes between two releases. This pair is not published',
    method: 'GET',
    target: '/api/v1/changes/2025-11..2026-11.csv',
    answer: `HTTP/1.1 404 Not Found
Content-Type: application/problem+json

{"type":"urn:administrative-boundaries:problem:not-found","title":"No resource at this path","status":404,"detail":"No such changes are published. /api/v1/changes lists those that are.","code":"not-found"}`,
  },
  {
    group: 'ogc',
    question: 'The landing page',
    method: 'GET',
    target: '/api/v1/ogc',
    answer: `HTTP/1.1 200 OK
Content-Type: application/json

{"title":"Administrative boundaries","description":"Release sample","attribution":"Countries: Made with Natural Earth (naturalearthdata.com), public domain\\nStates and counties of the United States: U.S. Census Bureau, cartographic boundary files 2017, public domain\\nRegions, provinces and municipalities of Spain: deri…//boundaries.example.org/api/v1/ogc/conformance","rel":"conformance","type":"application/json"},{"href":"http://boundaries.example.org/api/v1/ogc/collections","rel":"data","type":"application/json"}]}`,
  },
  {
    group: 'ogc',
    question: 'What the service conforms to',
    method: 'GET',
    target: '/api/v1/ogc/conformance',
    answer: `HTTP/1.1 200 OK
Content-Type: application/json

{"conformsTo":["http://www.opengis.net/spec/ogcapi-features-1/1.0/conf/core","http://www.opengis.net/spec/ogcapi-features-1/1.0/conf/geojson","http://www.opengis.net/spec/ogcapi-features-1/1.0/conf/oas30","http://www.opengis.net/spec/ogcapi-features-3/1.0/conf/queryables","http://www.opengis.net/spec/ogcapi-features-3/1.0/conf/queryables-query-parameters"]}`,
  },
  {
    group: 'ogc',
    question: 'OpenAPI 3.0 of this part',
    method: 'HEAD',
    target: '/api/v1/ogc/api',
    answer: `HTTP/1.1 200 OK
Content-Type: application/vnd.oai.openapi+json;version=3.0`,
  },
  {
    group: 'ogc',
    question: 'The levels, as collections',
    method: 'GET',
    target: '/api/v1/ogc/collections',
    answer: `HTTP/1.1 200 OK
Content-Type: application/json

{"attribution":"Countries: Made with Natural Earth (naturalearthdata.com), public domain\\nStates and counties of the United States: U.S. Census Bureau, cartographic boundary files 2017, public domain\\nRegions, provinces and municipalities of Spain: derived from boundaries CC BY 4.0 Instituto Geográfico Nacional de Espa…ma+json","title":"Columns"}],"extent":{"spatial":{"bbox":[[-18.1566826,27.6377232,4.3097918,43.7891483]],"crs":"http://www.opengis.net/def/crs/OGC/1.3/CRS84"}},"itemType":"feature","itemCount":8212}]}`,
  },
  {
    group: 'ogc',
    question: 'One level',
    method: 'GET',
    target: '/api/v1/ogc/collections/lv2',
    answer: `HTTP/1.1 200 OK
Content-Type: application/json
Link: <http://boundaries.example.org/api/v1/ogc/collections/lv2/queryables>; rel="http://www.opengis.net/def/rel/ogc/1.0/queryables"

{"id":"lv2","title":"Level 2 (ADM_2)","attribution":"States and counties of the United States: U.S. Census Bureau, cartographic boundary files 2017, public domain\\nRegions, provinces and municipalities of Spain: derived from boundaries CC BY 4.0 Instituto Geográfico Nacional de España (ign.es), simplified by es-atlas",…application/schema+json","title":"Columns"}],"extent":{"spatial":{"bbox":[[-180,18.9172756,180,71.352561]],"crs":"http://www.opengis.net/def/crs/OGC/1.3/CRS84"}},"itemType":"feature","itemCount":3194}`,
  },
  {
    group: 'ogc',
    question: 'By which columns can you filter?',
    method: 'GET',
    target: '/api/v1/ogc/collections/lv2/queryables',
    answer: `HTTP/1.1 200 OK
Content-Type: application/schema+json

{"$schema":"https://json-schema.org/draft/2020-12/schema","$id":"http://boundaries.example.org/api/v1/ogc/collections/lv2/queryables","type":"object","title":"ADM_2","properties":{"GID_0":{"title":"GID_0","type":"string","minLength":1},"GID_1":{"title":"GID_1","type":"string","minLength":1},"GID_2":{"title":"GID_2","type":"string","minLength":1}},"additionalProperties":false}`,
  },
  {
    group: 'ogc',
    question: 'Which columns have codes and names?',
    method: 'GET',
    target: '/api/v1/ogc/collections/lv2/schema',
    answer: `HTTP/1.1 200 OK
Content-Type: application/schema+json

{"$schema":"https://json-schema.org/draft/2020-12/schema","$id":"http://boundaries.example.org/api/v1/ogc/collections/lv2/schema","type":"object","title":"ADM_2","properties":{"fid":{"title":"fid","type":"integer","minimum":0,"readOnly":true,"x-ogc-role":"id"},"GID_2":{"title":"GID_2: the identifier of the unit","type"…_2":{"title":"FIPS_2","type":"string"},"INE_2":{"title":"INE_2","type":"string"},"geometry":{"format":"geometry-polygon-or-multipolygon","x-ogc-role":"primary-geometry"}},"additionalProperties":false}`,
  },
  {
    group: 'ogc',
    question: 'The provinces of Spain, one on a page',
    method: 'GET',
    target: '/api/v1/ogc/collections/lv2/items?GID_0=ESP&limit=1&geometry=none',
    answer: `HTTP/1.1 200 OK
Content-Type: application/geo+json
Link: <http://boundaries.example.org/api/v1/ogc/collections/lv2/items?GID_0=ESP&limit=1&geometry=none&start-at=c_AgEA...>; rel="next", <http://boundaries.example.org/api/v1/ogc/collections/lv2/queryables>; rel="http://www.opengis.net/def/rel/ogc/1.0/queryables"
Boundaries-Matched: 52

{"type":"FeatureCollection","features":[
{"type":"Feature","id":1,"bbox":[-3.1392986,36.6803886,-1.630138,37.9163434],"properties":{"fid":1,"GID_2":"ESP.1.1_1","GID_0":"ESP","COUNTRY":"Spain","GID_1":"ESP.1_1","NAME_1":"Andalucía","NAME_2":"Almería","VARNAME_2":"NA","TYPE_2":"Provincia","ENGTYPE_2":"Province","CC_2":"0…,{"href":"http://boundaries.example.org/api/v1/ogc/collections/lv2/queryables","rel":"http://www.opengis.net/def/rel/ogc/1.0/queryables","type":"application/schema+json","title":"What to filter by"}]}`,
  },
  {
    group: 'ogc',
    question: 'One feature by its fid',
    method: 'GET',
    target: '/api/v1/ogc/collections/lv2/items/1?geometry=none',
    answer: `HTTP/1.1 200 OK
Content-Type: application/geo+json
Boundaries-Matched: 1

{"links":[{"href":"http://boundaries.example.org/api/v1/ogc/collections/lv2/items/1?geometry=none","rel":"self","type":"application/geo+json"},{"href":"http://boundaries.example.org/api/v1/ogc/collections/lv2","rel":"collection","type":"application/json"}],"type":"Feature","id":1,"bbox":[-3.1392986,36.6803886,-1.630138…:"ESP","COUNTRY":"Spain","GID_1":"ESP.1_1","NAME_1":"Andalucía","NAME_2":"Almería","VARNAME_2":"NA","TYPE_2":"Provincia","ENGTYPE_2":"Province","CC_2":"04","FIPS_2":null,"INE_2":"04"},"geometry":null}`,
  },
  {
    group: 'health',
    question: 'Does the process run? No token is needed',
    method: 'GET',
    target: '/healthz',
    answer: `HTTP/1.1 200 OK
Content-Type: text/plain

ok`,
  },
  {
    group: 'health',
    question: 'Can it answer? No token is needed',
    method: 'GET',
    target: '/readyz',
    answer: `HTTP/1.1 200 OK
Content-Type: text/plain

ok`,
  },
];
