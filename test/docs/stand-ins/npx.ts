/**
 * npx itself, except for what would need an account at AWS: `npx osls deploy` and `npx osls remove` (see `strict.ts`). `npx osls package`
 * is real.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, globSync } from 'node:fs';
import { fileOf, mark, type Options, standIn } from './strict.ts';

const settingsOf = ({ '--stage': stage = '' }: Options): string | undefined =>
  fileOf('file')({ file: `infra/aws/${stage}.yml` });

const args = process.argv.slice(2);
if (args[0] === 'osls' && args[1] !== 'package') {
  standIn('npx', {
    'osls deploy': {
      required: ['--stage'],
      refuse: (options) =>
        settingsOf(options) ??
        (existsSync('serverless.yml') && globSync('dist/aws/*.zip').length > 0 ? undefined : 'nothing is packaged'),
      answer: ({ '--stage': stage }) => {
        mark(`stack poolwright-${stage}`);
        return `Service deployed to stack poolwright-${stage}`;
      },
    },
    'osls remove': { required: ['--stage'], refuse: settingsOf },
  });
} else {
  const env = { ...process.env, PATH: process.env.DOCS_REAL_PATH };
  process.exitCode = spawnSync('npx', args, { stdio: 'inherit', env }).status ?? 1;
}
