import { type Declare, dataDir, withCluster, withFormat } from '../declare.ts';

export const declareEvents: Declare = ({ command, run }) =>
  void withCluster(
    withFormat(
      command(
        'events [target...]',
        'show Kubernetes Events about claims, nodes and pools, oldest first',
        `poolwright events
poolwright events -w
poolwright events claim/first --since 30m`,
      )
        .option('-w, --watch', 'keep running, and print new Events as they arrive')
        .option('--since <duration>', 'only Events newer than this, such as 15m or 1h30m'),
    ).addOption(dataDir('data directory of a host with a simulated cluster')),
    'only Events in this namespace; Events about claims and nodes are in default',
  ).action((target, options) => run(async (terminal) => (await import('./run.ts')).events(target, options, terminal)));
