import { InvalidArgumentError, Option } from 'commander';
import { type Declare, dataDir, withCluster } from '../declare.ts';

export const declareTop: Declare = ({ command, run }) =>
  void withCluster(
    command(
      'top',
      'watch nodes, claims by stage, costs and failures; without a terminal, print them once as text',
      `poolwright top
poolwright top -l karpenter.sh/nodepool=workers --sort price
poolwright top | head -4`,
    )
      .option('-l, --selector <labels>', 'only claims and nodes with these labels')
      .addOption(new Option('--sort <key>', 'sort order').choices(['stage', 'age', 'price', 'name']).default('stage'))
      .option('-w, --watch', 'without a terminal: print repeatedly')
      .addOption(
        new Option('--every <seconds>', 'seconds between prints with -w, without a terminal')
          .argParser(seconds)
          .default(5),
      )
      .addOption(dataDir('data directory of a host with a simulated cluster')),
  ).action((options) => run(async (terminal) => (await import('./run.ts')).top(options, terminal)));

function seconds(text: string): number {
  const value = Number(text);
  if (Number.isFinite(value) && value >= 1 && value <= 86_400) return value;
  throw new InvalidArgumentError('Must be a number of seconds from 1 to 86400.');
}
