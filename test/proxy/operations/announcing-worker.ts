// A worker whose metrics are asked for just when it announces a release: what it says to that is not its metrics.
import { toMessage } from '../../../proxy/data/newest-release.ts';
import { collectRequestMetrics } from '../../../proxy/operations/metrics.ts';

process.on('message', () => process.send?.(toMessage({ id: 'r2', digest: '', time: '', sequence: 2, pointer: '' })));
collectRequestMetrics().droppedLine();
process.send?.('ready');
