import { type Declare, withCluster, withDocument, withHost } from '../declare.ts';

export const declareTrace: Declare = ({ command, run }) =>
  void withDocument(
    withCluster(
      withHost(
        command(
          'trace <target...>',
          'show what took how long in the life of a claim: event, steps, calls to the cloud, node',
          `poolwright trace claim/first
poolwright trace first -o json`,
        )
          .option('--cluster <name>', 'the cluster as the host calls it, if the kubeconfig does not tell')
          .option('--uid <uid>', 'of a claim that is gone; its decisions are kept for a while'),
      ),
    ),
  ).action((target, options) => run(async (terminal) => (await import('./run.ts')).trace(target, options, terminal)));
