// The questions of the serving benchmark in SQL, as scripts for pgbench.
import { elementAt } from '../../../format/element-at.ts';
import type { LevelIndex } from '../../../format/level-index.ts';
import { type Level, levelName } from '../../../format/levels.ts';
import type { Postgis } from '../../support/processes/postgis.ts';
import { FC_FEATURES, type QuestionName, SLICE_FEATURES } from '../requests/questions.ts';

/** Ways to make the text of a Feature in SQL; they differ in speed by a factor of ten. */
export const FORMS = {
  jsonb: 'Features by jsonb_build_object and to_jsonb(row)',
  json: 'Features by json_build_object: id, bbox, properties of listed columns, geometry',
  shortest: 'ST_AsGeoJSON(row): Features without id and bbox',
} as const;
export type Form = keyof typeof FORMS;

/** A question and the script that asks it. */
export interface SqlQuestion {
  name: QuestionName;
  what: string;
  script: string;
}

/** The questions that SQL can be asked; `all` and `middle` are the levels that the proxy is asked for. */
export function sqlQuestions(postgis: Postgis, all: LevelIndex, middle: LevelIndex, form: Form): SqlQuestion[] {
  const [unit, inCollection] = [all, middle].map(({ level }) => featureOf(postgis, level, form));
  const json = form === 'jsonb' ? 'jsonb' : 'json';
  const table = levelName(all.level);
  const gids = elementAt(all.columns, all.level);
  return [
    {
      name: 'slice',
      what: `${SLICE_FEATURES} features at a random fid`,
      script: `\\set fid random(1, ${lastFid(all)})
SELECT ${unit}::text FROM ${table} unit WHERE fid >= :fid ORDER BY fid LIMIT ${SLICE_FEATURES};
`,
    },
    {
      name: 'unit',
      what: 'one unit by its GID',
      script: `\\set n random(1, ${gids.size})
SELECT ${unit}::text FROM ${table} unit
WHERE ${quoted(gids.name)} = (SELECT gid FROM ${gidTable(all.level)} WHERE n = :n);
`,
    },
    {
      name: 'fc',
      what: `a FeatureCollection of ${FC_FEATURES} features at a random fid`,
      script: `\\set fid random(1, ${lastFid(middle)})
SELECT ${json}_build_object('type', 'FeatureCollection', 'features', ${json}_agg(${inCollection}::${json}))::text
FROM (SELECT * FROM ${levelName(middle.level)} WHERE fid >= :fid ORDER BY fid LIMIT ${FC_FEATURES}) unit;
`,
    },
  ];
}

/** An expression for one row. Listing the columns is faster: to_jsonb of the row converts its geometry as well. */
function featureOf(postgis: Postgis, level: Level, form: Form): string {
  if (form === 'shortest') return "ST_AsGeoJSON(unit.*, 'geom', 7)";
  if (form === 'jsonb') {
    const members = `'id', fid, 'properties', to_jsonb(unit) - 'geom', 'geometry', ST_AsGeoJSON(geom, 7)::jsonb`;
    return `jsonb_build_object('type', 'Feature', ${members})`;
  }
  const names = postgis
    .sql(
      `SELECT column_name FROM information_schema.columns WHERE table_name = '${levelName(level)}' ORDER BY ordinal_position`,
    )
    .split('\n')
    .filter((name) => name !== 'geom');
  const properties = `(SELECT row_to_json(own) FROM (SELECT ${names.map(quoted).join(', ')}) own)`;
  const bbox = 'json_build_array(ST_XMin(geom), ST_YMin(geom), ST_XMax(geom), ST_YMax(geom))';
  const members = `'id', fid, 'bbox', ${bbox}, 'properties', ${properties}, 'geometry', ST_AsGeoJSON(geom, 7)::json`;
  return `json_build_object('type', 'Feature', ${members})`;
}

/** The table that numbers a level's GIDs from 1: pgbench draws numbers only. */
export function gidTable(level: Level): string {
  return `${levelName(level)}_gids`;
}

/** A name as an SQL identifier. */
export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

function lastFid(index: LevelIndex): number {
  return index.fidAt(index.features - 1);
}
