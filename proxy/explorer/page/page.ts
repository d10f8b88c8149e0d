// All scripts of the page: esbuild makes one file of them, here. One folder down, as the modules that name other files
// by their own address are: `new URL('../lib/maplibre-gl-worker.mjs', import.meta.url)` names the same file from
// the bundle.
import '../frame/start.tsx';
