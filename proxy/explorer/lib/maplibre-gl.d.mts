// The types of maplibre-gl.mjs, a file of the library maplibre-gl that the proxy serves here as it is.
export * from 'maplibre-gl';
