import { Option } from 'commander';
import { nodeClassValue } from '../../terminal/option-values.ts';
import { type Declare, withCluster, withFormat, withHost } from '../declare.ts';
import { workflowStatuses } from '../workflows/declare.ts';

export const declareGet: Declare = ({ command, run }) =>
  void withCluster(
    withHost(
      withFormat(
        command(
          'get <kind> [names...]',
          'list claims, nodes, offerings, providers, workflows or deadletters, and say why what is not ready is not',
          `poolwright get claims
poolwright get claims -w -l karpenter.sh/nodepool=web
poolwright get nodes -o wide
poolwright get workflows --status running`,
        )
          .option('-w, --watch', 'go on, and print what changes as it does')
          .option('-l, --selector <labels>', 'only claims or nodes with these labels, such as team=web,tier!=test')
          .option('--cluster <name>', 'the cluster, by the name that the host knows it by')
          .option('--provider <name>', 'only what is of this provider')
          .option('--node-class <kind/name>', 'of offerings: what this node class may use', nodeClassValue)
          .addOption(
            new Option('--status <status>', 'of workflows: only those with this status').choices(workflowStatuses),
          ),
      ),
    ),
  ).action((kind, names, options) =>
    run(async (terminal) => (await import('./run.ts')).get([kind, ...names], options, terminal)),
  );
