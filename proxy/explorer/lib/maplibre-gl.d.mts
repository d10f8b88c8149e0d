// The types of /explorer/lib/maplibre-gl.mjs, a file of the library maplibre-gl that the proxy serves.
export * from 'maplibre-gl';
