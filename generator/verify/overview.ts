// Verifies the overview: valid TopoJSON, and in it every unit of levels 0 and 1 with the properties of its feature and, if it
// has an area, a shape.
import { OVERVIEW_FILE } from '../../format/layout.ts';
import { levelName } from '../../format/levels.ts';
import { OVERVIEW_LEVELS, overviewProperties } from '../../format/overview.ts';
import { FileError, problemOf } from '../reader/file-error.ts';
import type { Metadata } from './metadata.ts';
import { type NamedUnits, readWholeFile, textOrNull } from './names.ts';
import { checkTopology, type Topology } from './topology.ts';

/** Verifies the file. @param units of all levels; undefined if an index is damaged */
export function verifyOverview(units: readonly (NamedUnits | undefined)[], metadata: Metadata): void {
  const text = readWholeFile(OVERVIEW_FILE, metadata.description?.overview, metadata);
  if (text === undefined) return;
  try {
    const topology = checkTopology(parse(text), OVERVIEW_LEVELS.map(levelName));
    for (const level of OVERVIEW_LEVELS) {
      const expected = units[level];
      if (expected !== undefined) checkUnits(topology, expected);
    }
  } catch (error) {
    metadata.found(OVERVIEW_FILE, problemOf(error));
  }
}

function parse(text: Buffer): unknown {
  try {
    return JSON.parse(text.toString());
  } catch {
    throw new FileError('its text is not JSON');
  }
}

function checkUnits({ objects }: Topology, units: NamedUnits): void {
  const name = levelName(units.level);
  const geometries = objects.get(name) ?? [];
  if (geometries.length !== units.count)
    throw new FileError(`${name} has ${geometries.length} geometries, expected ${units.count}`);
  for (const [position, { id, properties, type }] of geometries.entries()) {
    const label = { name: textOrNull(properties['name']), type: textOrNull(properties['type']) };
    const unit = units.unitAt(position, label);
    const where = `${name} fid ${unit.fid}`;
    if (id !== unit.fid) throw new FileError(`${where}: its id is ${JSON.stringify(id)}`);
    const [got, expected] = [properties, overviewProperties(units.level, unit)].map((value) => JSON.stringify(value));
    if (got !== expected) throw new FileError(`${where}: its properties are ${got}, expected ${expected}`);
    const shape = units.featureAt(position)?.shape;
    if (shape === 'must' && type === null) throw new FileError(`${where}: has no shape`);
    if (shape === 'no' && type !== null) throw new FileError(`${where}: has a shape, its feature none`);
  }
}
