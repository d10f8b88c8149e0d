// Loaded before a program: it collects its garbage on SIGUSR2, so that what it holds can be read, and ends with the
// process that started it, however that ends.
import { Socket } from 'node:net';
import { collectGarbage } from './collect-garbage.ts';

process.on('SIGUSR2', collectGarbage);

const { stdin } = process;
stdin.resume().once('end', () => process.exit(1));
// It must not keep the program from ending by itself.
if (stdin instanceof Socket) stdin.unref();
