#!/usr/bin/env node
// Runs the command line of the generator, which is in commands/program.ts, on a Node that has GDAL.
import { hideBin } from 'yargs/helpers';
import { runProgram } from '../format/command-line/run-program.ts';
import { explain, program } from './commands/program.ts';
import { notedNode, runOn } from './gdal/gdal-node.ts';

const other = notedNode();
if (other !== undefined) runOn(other);
await runProgram(program(), hideBin(process.argv), explain);
