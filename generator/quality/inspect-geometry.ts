// Counts the problems of a unit's geometry, when it has been written.
import type { GeometryQuality } from '../geojson/geometry.ts';
import type { Findings } from './findings.ts';

/** @param example says where the unit is; called for the first problem of each kind */
export function inspectGeometry(quality: GeometryQuality, example: () => string, findings: Findings): void {
  if (quality.isEmpty) findings.add('empty-geometries', example);
  else if (!quality.isPolygonal) findings.add('non-polygonal', example);
  if (quality.isCollapsed) findings.add('collapsed-geometries', example);
  else findings.add('collapsed-rings', example, quality.collapsed);
  if (quality.outOfRange) findings.add('out-of-range', example);
  if (quality.jumps) findings.add('antimeridian-jumps', example);
}
