import { Argument } from 'commander';
import { type Declare, withCluster, withConsent, withDocument } from '../declare.ts';

export const declareCrds: Declare = ({ command, run }) =>
  void withDocument(
    withConsent(
      withCluster(
        command(
          'crds',
          'check the kinds that a cluster must know (NodeClaim, NodePool, node classes), or install those that it lacks',
          `poolwright crds check
poolwright crds install --kubeconfig ~/.kube/config --context production`,
        ).addArgument(new Argument('<action>', 'install never replaces what is there').choices(['check', 'install'])),
      ),
    ),
  ).action((action: 'check' | 'install', options) =>
    run(async (terminal) => (await import('./run.ts'))[action](options, terminal)),
  );
