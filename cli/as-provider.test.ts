import { expect, it } from 'vitest';
import { asProvider } from './as-provider.ts';

const manager = { PROVIDER_TYPE: 'vsphere' };

it.each([
  ['the arguments of a manager are those of a provider', ['--port=9443', '--health-port=8080'], manager, true],
  ['also with spaces', ['--port', '9443'], manager, true],
  ['but not where nothing says that it is one', ['--port=9443'], {}, false],
  ['and a command is a command', ['start', '--port=9443'], manager, false],
  ['as is a question', ['--version'], manager, false],
])('%s', (_what, args, env, isProvider) => {
  expect(asProvider(args, env)).toEqual(isProvider ? ['provider', ...args] : args);
});
