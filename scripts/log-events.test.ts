/** An id that nobody writes is worse than none: somebody alerts on it, and it never comes. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { logEvents } from '../shared/observe/log/events.ts';

const root = join(import.meta.dirname, '..');

const sources = ['cli', 'functions', 'shared']
  .flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((file) => `${folder}/${file}`),
  )
  .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts') && file !== 'shared/observe/log/events.ts')
  .map((file) => readFileSync(join(root, file), 'utf8'))
  .join('\n');

it.each(Object.keys(logEvents))('%s is written somewhere', (id) => {
  expect(sources).toContain(`'${id}'`);
});
