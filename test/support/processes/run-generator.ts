// The generator's program, for tests that start it: of what it prints and how it exits, and of what kills it.
import { compile } from './compile.ts';

/** The compiled program. */
export const GENERATOR = compile('generator/main.ts');
