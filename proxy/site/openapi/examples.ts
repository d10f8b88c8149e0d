// Real features in the OpenAPI document: a unit of each level of the sample release, as the service sends it. The tests
// compare them with the sample.
import type { Format, Level } from '../../../format/levels.ts';
import type { JsonObject } from '../../../format/parse.ts';
import { objectFrom } from '../../../format/parse.ts';

/** Units by level, with what the sample says of their origin. It has no levels 4 and 5. */
const UNITS: readonly { summary: string; gid: string; feature: string }[] = [
  {
    summary: 'Monaco: made with Natural Earth, public domain',
    gid: 'MCO',
    feature:
      '{"type":"Feature","id":133,"bbox":[7.3674737,43.7178226,7.4358744,43.7634142],"properties":{"fid":133,"GID_0":"MCO","COUNTRY":"Monaco"},"geometry":{"type":"MultiPolygon","coordinates":[[[[7.4358744,43.7431512],[7.4250743,43.7549713],[7.4070741,43.7634142],[7.3890739,43.7583484],[7.3710737,43.7465284],[7.3674737,43.7347083],[7.3674737,43.7228883],[7.3818738,43.7195111],[7.403474,43.7178226],[7.4178742,43.7313312],[7.4322743,43.7397741],[7.4358744,43.7431512]]]]}}',
  },
  {
    summary: 'Hormigueros in Puerto Rico: U.S. Census Bureau, public domain',
    gid: 'PRI.35_1',
    feature:
      '{"type":"Feature","id":62,"bbox":[-67.1613674,18.1063233,-67.0859922,18.1535715],"properties":{"fid":62,"GID_1":"PRI.35_1","GID_0":"PRI","COUNTRY":"Puerto Rico","NAME_1":"Hormigueros","TYPE_1":"Municipio","ENGTYPE_1":"Municipality","CC_1":"72067"},"geometry":{"type":"MultiPolygon","coordinates":[[[[-67.1613674,18.1535715],[-67.1003494,18.1063233],[-67.0859922,18.1501353],[-67.1613674,18.1535715]]]]}}',
  },
  {
    summary: 'Clay County in Iowa: U.S. Census Bureau, public domain',
    gid: 'USA.16.21_1',
    feature:
      '{"type":"Feature","id":862,"bbox":[-95.3875754,42.9099537,-94.9137886,43.2552957],"properties":{"fid":862,"GID_2":"USA.16.21_1","GID_0":"USA","COUNTRY":"United States of America","GID_1":"USA.16_1","NAME_1":"Iowa","NAME_2":"Clay","TYPE_2":"County","ENGTYPE_2":"County","CC_2":"19041"},"geometry":{"type":"MultiPolygon","coordinates":[[[[-95.3875754,43.2552957],[-95.3875754,42.9099537],[-94.9137886,42.9099537],[-94.9137886,43.2552957],[-95.3875754,43.2552957]]]]}}',
  },
  {
    summary: 'Abla in Andalusia: derived from boundaries CC BY 4.0 Instituto Geográfico Nacional de España (ign.es)',
    gid: 'ESP.1.1.1_1',
    feature:
      '{"type":"Feature","id":1,"bbox":[-2.7884356,37.085911,-2.7434532,37.2458581],"properties":{"fid":1,"GID_3":"ESP.1.1.1_1","GID_0":"ESP","COUNTRY":"Spain","GID_1":"ESP.1_1","NAME_1":"Andalucía","GID_2":"ESP.1.1_1","NAME_2":"Almería","NAME_3":"Abla","TYPE_3":"Municipio","ENGTYPE_3":"Municipality","CC_3":"04001"},"geometry":{"type":"MultiPolygon","coordinates":[[[[-2.7839374,37.0939892],[-2.7569479,37.085911],[-2.7479514,37.1101455],[-2.7569479,37.1246861],[-2.7434532,37.1634611],[-2.7524497,37.1666924],[-2.7479514,37.1893112],[-2.759197,37.2264706],[-2.7749409,37.2458581],[-2.77719,37.23778],[-2.7794391,37.1973893],[-2.7884356,37.1376111],[-2.7704426,37.1182236],[-2.7839374,37.0939892]]]]}}',
  },
];

/** The examples of a page: no feature, which any data has, and where there is one a unit of the sample. */
export function pageExamples(path: string, format: Format, level: Level): JsonObject {
  const unit = UNITS[level];
  const nothing = {
    summary: 'No feature matches',
    value: format === 'fc' ? { type: 'FeatureCollection', features: [] } : '',
    'x-request': requestFor(`${path}?gid-0=no-such-unit`),
  };
  if (unit === undefined) return { nothing };
  const { summary, gid, feature } = unit;
  const features = [objectFrom(JSON.parse(feature), gid)];
  const value = format === 'fc' ? { type: 'FeatureCollection', features } : `${feature}\n`;
  return { unit: { summary, value, 'x-request': requestFor(`${path}?gid-${level}=${gid}`) }, nothing };
}

function requestFor(target: string): string {
  return `GET ${target} HTTP/1.1\nHost: boundaries.example.org\nAuthorization: Bearer $TOKEN`;
}
