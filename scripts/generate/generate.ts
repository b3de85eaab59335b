/** Everything that is made from code, made anew: `npm run generate`, before a commit that changes what it is made from. */
import { execFileSync } from 'node:child_process';
import { globSync } from 'node:fs';
import { join } from 'node:path';

for (const script of globSync('generate-*.ts', { cwd: import.meta.dirname, exclude: ['*.test.ts'] }).sort()) {
  execFileSync(process.execPath, [join(import.meta.dirname, script)], { stdio: 'inherit' });
}
