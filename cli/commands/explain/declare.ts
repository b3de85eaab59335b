import { type Declare, withCluster, withDocument, withHost } from '../declare.ts';

export const declareExplain: Declare = ({ command, run }) =>
  void withDocument(
    withCluster(
      withHost(
        command(
          'explain <target...>',
          'say what is the matter with a claim, a node or an event, why, and what would help',
          `poolwright explain first
poolwright explain claim/first --details
poolwright explain node/first`,
        )
          .option('--cluster <name>', 'the cluster as the host calls it, if the kubeconfig does not tell')
          .option('--uid <uid>', 'of a claim that is gone; its decisions are kept for a while')
          .option('--details', 'every decision, with all candidates and rejections, the conditions and the Events'),
      ),
    ),
  ).action((target, options) => run(async (terminal) => (await import('./run.ts')).explain(target, options, terminal)));
