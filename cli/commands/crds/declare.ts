import { Argument } from 'commander';
import { type Declare, withCluster, withConsent, withDocument } from '../declare.ts';

export const declareCrds: Declare = ({ command, run }) =>
  void withDocument(
    withConsent(
      withCluster(
        command(
          'crds',
          'check that a cluster has the required CRDs (NodeClaim, NodePool, node classes), or install the missing ones',
          `poolwright crds check
poolwright crds install --kubeconfig ~/.kube/config --context production`,
        ).addArgument(new Argument('<action>', 'install never replaces an existing CRD').choices(['check', 'install'])),
      ),
    ),
  ).action((action: 'check' | 'install', options) =>
    run(async (terminal) => (await import('./run.ts'))[action](options, terminal)),
  );
