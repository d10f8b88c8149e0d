// Slow clients: the pairs of download and origin that slow-clients.test.ts leaves out.
import { testSlowClients } from './slow-clients.ts';

testSlowClients([
  ['a page', 'a static host'],
  ['a unit', 'a folder'],
  ['a download', 'a static host'],
  ['a file of names', 'a static host'],
]);
