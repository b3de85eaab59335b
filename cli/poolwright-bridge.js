// What `poolwright bridge` starts in its own place. Whoever wants to spare that step starts it with the same options of Node.
import './node-version.js';
import { existsSync } from 'node:fs';
import * as nodeModule from 'node:module';
import { fileURLToPath } from 'node:url';

const modules = fileURLToPath(new URL('../node_modules', import.meta.url));
if (existsSync(modules)) nodeModule.enableCompileCache(`${modules}/.cache/poolwright`);

const { bridgeMain } = await import('./commands/bridge/main.ts');
process.exitCode = await bridgeMain(process.argv.slice(2));
