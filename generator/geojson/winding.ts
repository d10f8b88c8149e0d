// In which direction the rings of polygons run when they are written.

/** RFC 7946 section 3.1.6: exterior rings run counter-clockwise, interior ones clockwise. @param area signed */
export function isAgainstRightHandRule(area: number, isHole: boolean): boolean {
  return isHole ? area > 0 : area < 0;
}
