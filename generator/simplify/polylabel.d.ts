// The types of polylabel, which has none of its own.
declare module 'polylabel' {
  /** The pole of inaccessibility of a polygon of closed rings, exact to `precision`. */
  // biome-ignore lint/style/noDefaultExport: the package has it.
  export default function polylabel(polygon: [number, number][][], precision?: number): [x: number, y: number];
}
