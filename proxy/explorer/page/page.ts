// All scripts of the page: esbuild makes one file of them, here. One folder down, as the modules that name other files
// by their own address are: `new URL('../lib/maplibre-gl-worker.mjs', import.meta.url)` names the same file from
// the bundle.
import '../frame/start.tsx';

// What scripts that are loaded later use of libraries: they have no copies of their own.
export { batch, effect, signal } from '@preact/signals';
export { Fragment, jsx, jsxs } from 'preact/jsx-runtime';
