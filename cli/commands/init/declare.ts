import { Option } from 'commander';
import { type Declare, withCluster, withConsent } from '../declare.ts';

export const declareInit: Declare = ({ command, run }) =>
  void withConsent(
    withCluster(
      command(
        'init',
        'write a first configuration and a first claim or pool, from what is found on this machine',
        `poolwright init
poolwright init --yes --provider sim
poolwright init --yes --provider ec2 --context production --region eu-west-1 --cluster-name production --pool workers`,
      ),
    ),
  )
    .addOption(
      new Option('--provider <type>', 'who makes the nodes (default: what the cluster runs on)').choices([
        'sim',
        'aks',
        'arc',
        'ec2',
      ]),
    )
    .option('--cluster <name>', 'what the cluster is called in the configuration (default: after its context)')
    .option('--deployment <name>', 'stands on every machine as a tag (default: local)')
    .option('--region <name>', 'ec2: where machines are made')
    .option('--cluster-name <name>', 'aks, arc, ec2: what the cloud calls the cluster')
    .option('--node-role <name>', 'ec2: the IAM role of the nodes (default: KarpenterNodeRole-<cluster name>)')
    .option('--subscription <id>', 'aks, arc: the subscription of the cluster')
    .option('--resource-group <name>', 'aks, arc: the resource group of the cluster')
    .option('--location <name>', 'aks, arc: the region of the cluster')
    .option('--claim <name>', 'write a NodeClaim of this name (default: first)')
    .option('--pool <name>', 'write a NodePool of this name instead')
    .option('--replicas <count>', 'how many nodes the pool keeps (default: 1)')
    .option('--file <file>', 'where the configuration is written (default: poolwright.yaml)')
    .option('--manifest <file>', 'where the claim or pool is written (default: first-claim.yaml or first-pool.yaml)')
    .option('--force', 'replace files that are there')
    .action((options) => run(async (terminal) => (await import('./init.ts')).init(options, terminal)));
