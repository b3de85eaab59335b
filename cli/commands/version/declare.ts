import type { Declare } from '../declare.ts';

export const declareVersion: Declare = ({ command, run }) =>
  void command('version', 'print the version of this command', 'poolwright version').action(() =>
    run(async (terminal) => {
      const { version } = await import('../../version.ts');
      terminal.out(`${version}\n`);
      return 0;
    }),
  );
