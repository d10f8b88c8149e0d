// The questions of the serving benchmark in SQL, as scripts for pgbench.
import { type Level, levelName } from '../../format/levels.ts';
import type { Manifest } from '../../format/manifest.ts';
import { valueAt } from '../../format/runs.ts';
import type { Postgis } from './postgis.ts';
import { FC_FEATURES, type QuestionName, SLICE_FEATURES } from './questions.ts';

/** How SQL makes the text of a Feature: with the members that the proxy's have, or by the function made for it. */
export type Form = 'same' | 'shortest';
export const FORMS: Readonly<Record<Form, string>> = {
  same: 'Features with id, bbox, properties and geometry',
  shortest: 'ST_AsGeoJSON(row): Features without id and bbox',
};

/** A question and the script that asks it. */
export interface SqlQuestion {
  name: QuestionName;
  what: string;
  script: string;
}

/** The questions that SQL can be asked; `all` and `middle` are the levels that the proxy is asked for. */
export function sqlQuestions(postgis: Postgis, all: Manifest, middle: Manifest, form: Form): SqlQuestion[] {
  const [unit, inCollection] = [all, middle].map(({ level }) => featureOf(postgis, level, form));
  const table = levelName(all.level);
  const gids = all.columns[all.level];
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
      script: `\\set n random(1, ${gids?.gids.length ?? 1})
SELECT ${unit}::text FROM ${table} unit
WHERE ${quoted(gids?.name ?? '')} = (SELECT gid FROM ${gidTable(all.level)} WHERE n = :n);
`,
    },
    {
      name: 'fc',
      what: `a FeatureCollection of ${FC_FEATURES} features at a random fid`,
      script: `\\set fid random(1, ${lastFid(middle)})
SELECT json_build_object('type', 'FeatureCollection', 'features', json_agg(${inCollection}::json))::text
FROM (SELECT * FROM ${levelName(middle.level)} WHERE fid >= :fid ORDER BY fid LIMIT ${FC_FEATURES}) unit;
`,
    },
  ];
}

/** An expression for one row. Columns are listed: to_json of the row would convert its geometry a second time. */
function featureOf(postgis: Postgis, level: Level, form: Form): string {
  if (form === 'shortest') return "ST_AsGeoJSON(unit.*, 'geom', 7)";
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

function lastFid({ fids, features }: Manifest): number {
  return valueAt(fids, features - 1) ?? 1;
}
