#!/usr/bin/env node
// `npx osls` in a clone: the version that the lock file beside this names, installed when it is first called.
import '../../cli/node-version.js';

const { runExtra } = await import('../extra-packages.ts');
process.exitCode = await runExtra(['scripts/osls', 'osls', ...process.argv.slice(2)]);
