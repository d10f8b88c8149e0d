// The HTTP contract once more, with a static host as the origin: every test of test/contract-answers.test.ts, over HTTP.
import { serveFromHost } from './running.ts';

serveFromHost();
await import('./contract-answers.test.ts');
