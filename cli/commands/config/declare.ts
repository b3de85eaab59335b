import { Option } from 'commander';
import { type Declare, withDocument } from '../declare.ts';

export const declareConfig: Declare = ({ command, run }) => {
  const group = command(
    'config',
    'check a configuration and manifests before they are used, or show what a configuration comes to',
    `poolwright config check poolwright.yaml
poolwright config show poolwright.yaml`,
  );
  const under = { under: group };

  withDocument(
    command(
      'check [file]',
      'every mistake at once, with file, line and fix; without a file it is POOLWRIGHT_CONFIG, or poolwright.yaml here',
      `poolwright config check
poolwright config check poolwright.yaml --elsewhere
poolwright config check poolwright.yaml -f docs/examples/first-claim.yaml`,
      under,
    ),
  )
    .option('-f, --filename <files...>', 'also check NodeClaims, NodePools and node classes in these files')
    .option('--elsewhere', 'it is meant for another machine: files and variables that are not here are no mistakes')
    .action((file, options) => run(async (terminal) => (await import('./check.ts')).check(file, options, terminal)));

  command(
    'show [file]',
    'the whole configuration as a host takes it: file, environment and defaults, without secrets',
    'poolwright config show poolwright.yaml',
    under,
  )
    .addOption(new Option('-o, --output <format>', 'how it is written').choices(['yaml', 'json']).default('yaml'))
    .action((file, options) => run(async (terminal) => (await import('./show.ts')).show(file, options, terminal)));
};
