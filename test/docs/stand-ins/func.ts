/** Stands in for Azure Functions Core Tools: see `strict.ts`. It takes a folder only if the tool would find functions in it. */
import { existsSync, globSync, readFileSync } from 'node:fs';
import { standIn } from './strict.ts';

standIn('func', {
  'azure functionapp publish': {
    arguments: 1,
    refuse: () => {
      if (!existsSync('host.json') || !existsSync('package.json')) return 'this is not the folder of a function app';
      const { main } = JSON.parse(readFileSync('package.json', 'utf8'));
      return globSync(main).length > 0 ? undefined : `there is nothing at ${main}`;
    },
    answer: ({ 0: app }) => `Functions in ${app}:\n    http - [httpTrigger]`,
  },
});
