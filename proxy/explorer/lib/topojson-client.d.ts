// /explorer/lib/topojson-client.js, a file of the library topojson-client that the proxy serves: it sets the global
// `topojson`.
export {};
