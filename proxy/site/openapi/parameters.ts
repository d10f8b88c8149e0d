// The parameters as the document has them: one component for each, and for page-size one for each cap.
import type { Format, Level } from '../../../format/levels.ts';
import { FORMATS, LEVELS, PAGE_CAPS } from '../../../format/levels.ts';
import type { JsonObject } from '../../../format/parse.ts';
import type { Parameter } from '../../pages/parameters.ts';
import { FID_MAX, PAGE_SIZE, PAGE_SIZE_MIN, parametersAt, STARTS } from '../../pages/parameters.ts';

/** Valid anywhere, whatever the data: a GID that is not there gives an empty page. */
const EXAMPLE_GIDS = ['ESP', 'ESP.1_1', 'ESP.1.2_1', 'ESP.1.2.3_1', 'ESP.1.2.3.4_1', 'ESP.1.2.3.4.5_1'] as const;
const EXAMPLE_FID = 1;

/** Every parameter of every level and format, by the name of its component. */
export function parameterComponents(): JsonObject {
  const entries = FORMATS.flatMap((format) =>
    LEVELS.flatMap((level) =>
      parametersAt(level).map((parameter): [string, JsonObject] => [
        componentOf(parameter, format, level),
        {
          name: parameter.name,
          in: 'query',
          description: parameter.meaning,
          schema: schemaOf(parameter.name, format, level),
          example: exampleOf(parameter.name),
        },
      ]),
    ),
  );
  return Object.fromEntries(entries.sort(([a], [b]) => a.localeCompare(b, 'en', { numeric: true })));
}

/** What the operation of a format and level refers to. */
export function parameterReferences(format: Format, level: Level): readonly JsonObject[] {
  return parametersAt(level).map((parameter) => ({
    $ref: `#/components/parameters/${componentOf(parameter, format, level)}`,
  }));
}

/** A filter on the level itself means another thing than on a level below, page-size another at each cap. */
function componentOf({ name }: Parameter, format: Format, level: Level): string {
  if (name === PAGE_SIZE) return `${PAGE_SIZE}-${PAGE_CAPS[format][level]}`;
  if (STARTS.some((start) => start === name)) return name;
  return `${name}-of-lv${level}`;
}

function schemaOf(name: string, format: Format, level: Level): JsonObject {
  const cap = PAGE_CAPS[format][level];
  if (name === PAGE_SIZE) return { type: 'integer', minimum: PAGE_SIZE_MIN, maximum: cap, default: cap };
  if (!STARTS.some((start) => start === name)) return { type: 'string', minLength: 1 };
  return {
    oneOf: [
      { type: 'integer', minimum: 0, maximum: FID_MAX, description: 'A fid.' },
      { type: 'string', pattern: '^c_[A-Za-z0-9_-]+$', description: 'A cursor from a Link header; opaque.' },
    ],
  };
}

function exampleOf(name: string): number | string {
  if (name === PAGE_SIZE) return PAGE_SIZE_MIN;
  if (STARTS.some((start) => start === name)) return EXAMPLE_FID;
  return EXAMPLE_GIDS[Number(name.slice('gid-'.length))] ?? EXAMPLE_GIDS[0];
}
