// The rules of the HTTP contract in every other setup, asserted once more: elsewhere setups are compared.
import { testRules } from './contract.ts';
import { COMPARED, COMPARED_ON_LANDING, OTHERS } from './setups.ts';

await testRules([...COMPARED, ...COMPARED_ON_LANDING, ...OTHERS]);
