import { Option } from 'commander';
import { type Declare, withDocument } from '../declare.ts';

export const declareConfig: Declare = ({ command, run }) => {
  const group = command(
    'config',
    'check a configuration and manifests before you use them, or show the effective configuration',
    `poolwright config check poolwright.yaml
poolwright config show poolwright.yaml`,
  );
  const under = { under: group };

  withDocument(
    command(
      'check [file]',
      'report all mistakes at once, with file, line and fix (default file: POOLWRIGHT_CONFIG, or ./poolwright.yaml)',
      `poolwright config check
poolwright config check poolwright.yaml --elsewhere
poolwright config check poolwright.yaml -f docs/examples/first-claim.yaml`,
      under,
    ),
  )
    .option('-f, --filename <files...>', 'also check NodeClaims, NodePools and node classes in these files')
    .option(
      '--elsewhere',
      'the configuration is for another machine: do not report files and variables that are missing here',
    )
    .action((file, options) => run(async (terminal) => (await import('./check.ts')).check(file, options, terminal)));

  command(
    'show [file]',
    'show the effective configuration (file, environment and defaults), without secrets',
    'poolwright config show poolwright.yaml',
    under,
  )
    .addOption(new Option('-o, --output <format>', 'output format').choices(['yaml', 'json']).default('yaml'))
    .action((file, options) => run(async (terminal) => (await import('./show.ts')).show(file, options, terminal)));
};
