import { type Declare, withCluster, withDocument, withHost } from '../declare.ts';

export const declareExplain: Declare = ({ command, run }) =>
  void withDocument(
    withCluster(
      withHost(
        command(
          'explain <target...>',
          'explain what is wrong with a claim, a node, a pool, a node class or an event, why, and how to fix it',
          `poolwright explain first
poolwright explain claim/first --details
poolwright explain node/first
poolwright explain pool/workers
poolwright explain nodeclass/default`,
        )
          .option('--cluster <name>', "the cluster's name on the host, if the kubeconfig does not identify it")
          .option('--uid <uid>', 'uid of a deleted claim, if several had its name; decisions are kept for a while')
          .option('--details', 'show every decision with all candidates and rejections, the conditions and the Events'),
      ),
    ),
  ).action((target, options) => run(async (terminal) => (await import('./run.ts')).explain(target, options, terminal)));
