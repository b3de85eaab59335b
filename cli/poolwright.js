#!/usr/bin/env -S node --max-semi-space-size=16
// The limit keeps the space for short-lived objects small: on a large machine Node would take 128 MB for them alone.
// The check comes first, and the rest by a later import: an old Node would fail on the first file of TypeScript.
import './node-version.js';
import { existsSync } from 'node:fs';
import * as nodeModule from 'node:module';
import { fileURLToPath } from 'node:url';

// The bridge runs beside every cluster, so it has to be small: no compilers, little room for garbage. Such limits can be set
// only when a process starts, so this one starts itself once more, in its own place.
const small = [
  '--expose-gc',
  '--max-semi-space-size=1',
  '--max-old-space-size=40',
  '--no-opt',
  '--no-maglev',
  '--no-sparkplug',
];
const isSmall = process.execArgv.includes('--expose-gc');
if (process.argv[2] === 'bridge' && !isSmall && process.execve && process.platform !== 'win32') {
  process.execve(process.execPath, [process.execPath, ...small, ...process.argv.slice(1)], process.env);
}

// Compiled code is kept for the next start, which then takes half the time. Not in the shared temporary directory:
// whoever can write there could have us run something else.
const modules = fileURLToPath(new URL('../node_modules', import.meta.url));
if (existsSync(modules)) nodeModule.enableCompileCache(`${modules}/.cache/poolwright`);

// Whoever reads our output may stop reading, as `| head` does: that is no reason for a stack trace.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error) => {
    if (error.code !== 'EPIPE') throw error;
  });
}

const { main } = await import('./main.ts');
process.exitCode = await main(process.argv.slice(2));
