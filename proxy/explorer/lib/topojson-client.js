// What the explorer uses of the library topojson-client; it becomes a part of the bundle.
export { feature, neighbors } from 'topojson-client';
