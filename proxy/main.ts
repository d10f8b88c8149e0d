#!/usr/bin/env node
// Runs the command line of the proxy, which is in program.ts.
import { hideBin } from 'yargs/helpers';
import { runProgram } from '../format/command-line/run-program.ts';
import { explain, program } from './program.ts';

await runProgram(program(), hideBin(process.argv), explain);
