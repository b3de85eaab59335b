import { type Declare, dataDir, withCluster, withFormat } from '../declare.ts';

export const declareEvents: Declare = ({ command, run }) =>
  void withCluster(
    withFormat(
      command(
        'events [target...]',
        'show what was told about claims, nodes and pools as Kubernetes Events, oldest first',
        `poolwright events
poolwright events -w
poolwright events claim/first --since 30m`,
      )
        .option('-w, --watch', 'go on, and print what comes as it comes')
        .option('--since <duration>', 'only what was seen in this time, such as 15m or 1h30m'),
    ).addOption(dataDir('the data directory of a host with a simulated cluster')),
    'only Events of this namespace; those about claims and nodes are in default',
  ).action((target, options) => run(async (terminal) => (await import('./run.ts')).events(target, options, terminal)));
