// Loaded before a program: it collects its garbage on SIGUSR2, so that what it holds can be read.
import { collectGarbage } from './collect-garbage.ts';

process.on('SIGUSR2', collectGarbage);
