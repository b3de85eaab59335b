/** What a request cannot have where no management cluster is: Flux there, and Secrets that are kept there. Pure. */
import type { Resolved } from '../resolved/resolve.ts';
import type { Report } from './finding.ts';

const code = 'ManagementClusterNeeded';

export function checkWithoutManagement({ nodes, access, gitOps, aso }: Resolved, report: Report): void {
  if (nodes === 'poolwright' && access.disableLocalAccounts !== true) {
    const cause =
      'Poolwright has to reach the cluster later to serve it, and without a management cluster no Secret keeps its kubeconfig';
    const fix =
      'set it to true, and give the identity of Poolwright access to the cluster by adminGroupObjectIDs or azureRBAC';
    report('error', code, 'spec.access.disableLocalAccounts', cause, fix);
  }
  if (gitOps?.mode === 'remote') {
    const cause = 'the Flux of a management cluster applies it, and there is no management cluster';
    report('error', code, 'spec.gitOps.mode', cause, 'set it to extension, which installs Flux in the new cluster');
  } else if (gitOps?.secretRef !== undefined) {
    const cause = 'the Secret would be in a management cluster, and there is none';
    const fix = 'use provider Azure with the identity of the cluster, or a repository that needs no credentials';
    report('error', code, 'spec.gitOps.secretRef', cause, fix);
  }
  if (aso.credentialFrom !== undefined) {
    const cause = 'it has no effect: without a management cluster Poolwright asks Azure with its own identity';
    report('warning', code, 'spec.aso.credentialFrom', cause, 'remove the field');
  }
}
