// The HTTP contract once more, with a static host as the origin: every test of test/contract-errors.test.ts, over HTTP.
import { serveFromHost } from './running.ts';

serveFromHost();
await import('./contract-errors.test.ts');
