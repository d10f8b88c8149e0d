// Verifies the overview: valid TopoJSON, and in it every unit of levels 0 and 1 with the GIDs, the name and, if it has an
// area, a shape.
import { OVERVIEW_FILE } from '../../format/layout.ts';
import { levelName } from '../../format/levels.ts';
import { OVERVIEW_LEVELS, overviewProperties } from '../../format/overview.ts';
import { FileError } from '../reader/inflate.ts';
import { problemOf } from '../report/faults.ts';
import type { ExpectedUnits } from './expected-units.ts';
import type { Metadata } from './metadata.ts';
import { checkTopology, type Topology } from './topology.ts';
import { readWholeFile } from './whole-file.ts';

/** Verifies the file. @param units of all levels; undefined if manifests are damaged */
export function verifyOverview(units: readonly (ExpectedUnits | undefined)[], metadata: Metadata): void {
  const text = readWholeFile(OVERVIEW_FILE, metadata.description?.overview, metadata);
  if (text === undefined) return;
  try {
    const topology = checkTopology(parse(text), OVERVIEW_LEVELS.map(levelName));
    for (const level of OVERVIEW_LEVELS) {
      const expected = units[level];
      if (expected !== undefined) checkUnits(topology, expected);
    }
  } catch (error) {
    metadata.fault(OVERVIEW_FILE, problemOf(error));
  }
}

function parse(text: Buffer): unknown {
  try {
    return JSON.parse(text.toString());
  } catch {
    throw new FileError('its text is not JSON');
  }
}

function checkUnits({ objects }: Topology, units: ExpectedUnits): void {
  const name = levelName(units.level);
  const geometries = objects.get(name) ?? [];
  if (geometries.length !== units.count)
    throw new FileError(`${name} has ${geometries.length} geometries, expected ${units.count}`);
  for (const [position, { id, properties, type }] of geometries.entries()) {
    // Level 0 has no parents.
    const unit = units.check(position, {
      fid: id,
      gid: properties['gid'],
      name: properties['name'],
      type: properties['type'],
      parent: properties['parent'] ?? null,
      children: properties['children'],
    });
    if (JSON.stringify(properties) !== JSON.stringify(overviewProperties(units.level, unit)))
      throw new FileError(`${name} fid ${unit.fid}: has other properties than gid, name, type, parent and children`);
    const shape = units.sumAt(position)?.shape;
    if (shape === 'must' && type === null) throw new FileError(`${name} fid ${unit.fid}: has no shape`);
    if (shape === 'no' && type !== null) throw new FileError(`${name} fid ${unit.fid}: has a shape, its feature none`);
  }
}
