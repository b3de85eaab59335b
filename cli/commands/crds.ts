import { Argument } from 'commander';
import { asJson, type Declare, withCluster, withConsent } from './declare.ts';

export const declareCrds: Declare = ({ command, run }) =>
  void withConsent(
    withCluster(
      command(
        'crds',
        'check the kinds that a cluster must know (NodeClaim, NodePool, node classes), or install those that it lacks',
        `poolwright crds check
poolwright crds install --kubeconfig ~/.kube/config --context production`,
      ).addArgument(new Argument('<action>', 'install never replaces what is there').choices(['check', 'install'])),
    ),
  )
    .option(...asJson)
    .action((action: 'check' | 'install', options) =>
      run(async (terminal) => (await import('../crds.ts'))[action](options, terminal)),
    );
