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
          'list claims, nodes, pools, nodeclasses, vms, vmproviders, offerings, providers, workflows or deadletters, with the reason for anything that is not ready',
          `poolwright get claims
poolwright get claims -w -l karpenter.sh/nodepool=web
poolwright get nodes -o wide
poolwright get pools
poolwright get nodeclasses
poolwright get workflows --status running`,
        )
          .option('-w, --watch', 'keep running, and print changes as they happen')
          .option(
            '-l, --selector <labels>',
            'only objects of the cluster with these labels, such as team=web,tier!=test',
          )
          .option('--cluster <name>', 'the cluster, by its name on the host')
          .option('--provider <name>', 'only objects of this provider')
          .option('--node-class <kind/name>', 'for offerings: only those that this node class may use', nodeClassValue)
          .addOption(
            new Option('--status <status>', 'for workflows: only those with this status').choices(workflowStatuses),
          ),
      ),
    ),
  ).action((kind, names, options) =>
    run(async (terminal) => (await import('./run.ts')).get([kind, ...names], options, terminal)),
  );
