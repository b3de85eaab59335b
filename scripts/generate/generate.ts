/** Everything that is made from code, made anew: `npm run generate`, before a commit that changes what it is made from. */
import { execFileSync } from 'node:child_process';
import { globSync } from 'node:fs';
import { join } from 'node:path';

/** Texts are not made: they are what pages are made from. */
const others = ['generate.ts', '*-texts.ts', '*.test.ts'];
const scripts = globSync('*.ts', { cwd: import.meta.dirname, exclude: others }).sort();
if (scripts.length === 0) throw new Error('there is nothing to generate, which cannot be right');

for (const script of scripts) {
  execFileSync(process.execPath, [join(import.meta.dirname, script)], { stdio: 'inherit' });
}
