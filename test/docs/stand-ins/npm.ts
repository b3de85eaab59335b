/** npm itself, except for `npm ci`: that would take minutes and a network, and what it would install is linked here already. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

const args = process.argv.slice(2);
if (args.length === 1 && args[0] === 'ci') {
  const complete = existsSync('package-lock.json') && existsSync('node_modules/.package-lock.json');
  if (!complete) process.stderr.write('npm ci: this is not the folder of the project\n');
  process.exitCode = complete ? 0 : 1;
} else {
  const env = { ...process.env, PATH: process.env.DOCS_REAL_PATH };
  process.exitCode = spawnSync('npm', args, { stdio: 'inherit', env }).status ?? 1;
}
