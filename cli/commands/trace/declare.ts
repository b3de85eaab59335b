import { type Declare, withCluster, withDocument, withHost } from '../declare.ts';

export const declareTrace: Declare = ({ command, run }) =>
  void withDocument(
    withCluster(
      withHost(
        command(
          'trace <target...>',
          "show how long each part of a claim's life took: event, steps, cloud calls, node",
          `poolwright trace claim/first
poolwright trace first -o json`,
        )
          .option('--cluster <name>', "the cluster's name on the host, if the kubeconfig does not identify it")
          .option('--uid <uid>', 'uid of a deleted claim; its decisions are kept for a while'),
      ),
    ),
  ).action((target, options) => run(async (terminal) => (await import('./run.ts')).trace(target, options, terminal)));
