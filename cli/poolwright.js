#!/usr/bin/env -S node --max-semi-space-size=8 --heap-growing-percent=50 --no-parallel-scavenge
// The limit keeps the space for short-lived objects small: on a large machine Node would take 128 MB for them alone.
// The check comes first, and the rest by a later import: an old Node would fail on the first file of TypeScript.
import './node-version.js';
import { existsSync } from 'node:fs';
import * as nodeModule from 'node:module';
import { fileURLToPath } from 'node:url';

// Compiled code is kept for the next start, which then takes half the time. Not in the shared temporary directory:
// whoever can write there could have us run something else.
const modules = fileURLToPath(new URL('../node_modules', import.meta.url));
if (existsSync(modules)) nodeModule.enableCompileCache(`${modules}/.cache/poolwright`);

// It is written when the process ends, which a host that is killed never does.
setTimeout(() => nodeModule.flushCompileCache?.(), 10_000).unref();

// Whoever reads our output may stop reading, as `| head` does: that is no reason for a stack trace.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error) => {
    if (error.code === 'EPIPE') return;
    // A full disk, say. What was asked for is not all there, and nothing more can be done about it.
    if (stream === process.stdout) process.stderr.write(`The output could not be written (${error.code}).\n`);
    process.exit(1);
  });
}

// The bridge runs beside every cluster, so it has to be small: no compilers, little room for garbage, no other commands. Such
// limits can be set only when a process starts, so this one starts itself once more, in its own place.
const small = [
  '--expose-gc',
  '--max-semi-space-size=1',
  '--max-old-space-size=32',
  '--no-opt',
  '--no-maglev',
  '--no-sparkplug',
  '--single-threaded',
];
const [command, ...args] = process.argv.slice(2);
const asksForHelp = args.some((argument) => ['-h', '--help'].includes(argument));
if (command === 'bridge' && !asksForHelp && process.execve && process.platform !== 'win32') {
  const script = fileURLToPath(new URL('./poolwright-bridge.js', import.meta.url));
  process.execve(process.execPath, [process.execPath, ...small, script, ...args], process.env);
}

const { main } = await import('./main.ts');
const { asProvider } = await import('./as-provider.ts');
// As a plugin of kubectl it is called by another name, and help should say the words that work.
const calledAs = /(^|[/\\])kubectl-poolwright(\.\w+)?$/.test(process.argv[1] ?? '')
  ? 'kubectl poolwright'
  : 'poolwright';
process.exitCode = await main(asProvider(process.argv.slice(2), process.env), undefined, calledAs);
