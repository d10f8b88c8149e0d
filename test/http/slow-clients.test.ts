// Slow clients: one origin for each of what they download; the other one is in slow-clients.long.test.ts.
import { testSlowClients } from './slow-clients.ts';

testSlowClients([
  ['a page', 'a folder'],
  ['a unit', 'a static host'],
  ['a download', 'a folder'],
  ['a file of names', 'a folder'],
]);
