// The parameters in the OpenAPI document: one component each, and for page-size one per page cap.
import type { Format, Level } from '../../../format/levels.ts';
import { FORMATS, LEVELS, PAGE_CAPS } from '../../../format/levels.ts';
import type { JsonObject } from '../../../format/parse.ts';
import type { Parameter } from '../../pages/parameters.ts';
import { FID_MAX, FILTERS, PAGE_SIZE, PAGE_SIZE_MIN, parametersAt, STARTS } from '../../pages/parameters.ts';

/** Valid for any data: an unknown GID gives an empty page. */
const EXAMPLE_GIDS: readonly [string, string, string, string, string, string] = [
  'ESP',
  'ESP.1_1',
  'ESP.1.2_1',
  'ESP.1.2.3_1',
  'ESP.1.2.3.4_1',
  'ESP.1.2.3.4.5_1',
];
const EXAMPLE_FID = 1;

/** The parameters of all levels and formats, by component name. */
export function parameterComponents(): JsonObject {
  const entries = FORMATS.flatMap((format) =>
    LEVELS.flatMap((level) =>
      parametersAt(level).map((parameter): [string, JsonObject] => [
        componentName(parameter, format, level),
        {
          name: parameter.name,
          in: 'query',
          description: parameter.meaning,
          schema: parameterSchema(parameter.name, format, level),
          example: parameterExample(parameter.name),
        },
      ]),
    ),
  );
  return Object.fromEntries(entries.sort(([a], [b]) => a.localeCompare(b, 'en', { numeric: true })));
}

/** References to the parameters of a format and level. */
export function parameterReferences(format: Format, level: Level): readonly JsonObject[] {
  return parametersAt(level).map((parameter) => ({
    $ref: `#/components/parameters/${componentName(parameter, format, level)}`,
  }));
}

/** The meaning of a filter depends on the level, that of page-size on the cap: each has its own component. */
function componentName({ name }: Parameter, format: Format, level: Level): string {
  if (name === PAGE_SIZE) return `${PAGE_SIZE}-${PAGE_CAPS[format][level]}`;
  if (STARTS.some((start) => start === name)) return name;
  return `${name}-of-lv${level}`;
}

function parameterSchema(name: string, format: Format, level: Level): JsonObject {
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

function parameterExample(name: string): number | string {
  if (name === PAGE_SIZE) return PAGE_SIZE_MIN;
  if (STARTS.some((start) => start === name)) return EXAMPLE_FID;
  const level = FILTERS.get(name);
  if (level === undefined) throw new RangeError(`no example for parameter ${name}`);
  return EXAMPLE_GIDS[level];
}
