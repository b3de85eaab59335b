/** Whether a cluster is reached in one way, and each field belongs to that way. */
import { manifests } from '../providers/manifests.ts';
import type { CrossProblem } from './cross-checks.ts';

/** Which type of provider knows the way, by the kind of access. */
export const providerOfAccess: Readonly<Record<string, string>> = Object.fromEntries(
  manifests.flatMap((manifest) => ('access' in manifest ? [[manifest.access.kind, manifest.type]] : [])),
);

const own = ['token', 'tokenFile', 'certificateAuthority', 'clientCertificate', 'clientKey'];

export function accessProblems(at: string[], cluster: Record<string, unknown>): CrossProblem[] {
  const problems: CrossProblem[] = [];
  const problem = (field: string, message: string): void => void problems.push({ path: [...at, field], message });
  const given = (field: string): boolean => cluster[field] !== undefined && cluster[field] !== false;
  const https = typeof cluster.server === 'string' && cluster.server.startsWith('https:');

  if (!given('server') && !given('kubeconfig') && !given('inCluster') && !given('access')) {
    const message = 'needs one of server, kubeconfig, inCluster or access, so that the host can reach the cluster';
    problems.push({ path: at, message });
  }
  if (given('server') && given('kubeconfig'))
    problem('kubeconfig', 'cannot be combined with server; set only one of them');
  if (given('inCluster')) {
    for (const field of ['server', 'kubeconfig']) {
      if (given(field)) problem(field, 'cannot be combined with inCluster; set only one of them');
    }
  }
  if (given('access')) {
    // A server may stand beside it: then only the token comes from the cloud.
    for (const field of ['kubeconfig', 'inCluster', 'token', 'tokenFile', 'clientCertificate', 'clientKey']) {
      if (given(field)) problem(field, 'cannot be combined with access, which has its own credentials');
    }
    if (given('certificateAuthority') && !given('server'))
      problem('certificateAuthority', 'needs server as well: with access alone, both come from the cloud');
  }
  if (given('context') && !given('kubeconfig'))
    problem('context', 'needs kubeconfig as well: it names a context in that file');
  if (given('kubeconfig') || given('inCluster')) {
    const way = given('kubeconfig') ? 'kubeconfig' : 'inCluster';
    for (const field of own) {
      if (given(field)) problem(field, `cannot be combined with ${way}, which has its own credentials`);
    }
  } else if (given('token') && given('tokenFile'))
    problem('token', 'cannot be combined with tokenFile; set only one of them');
  if (given('clientCertificate') !== given('clientKey')) {
    const [there, missing] = given('clientKey')
      ? ['clientKey', 'clientCertificate']
      : ['clientCertificate', 'clientKey'];
    problem(there, `needs ${missing} as well`);
  }
  if (given('server') && !https) {
    for (const field of ['certificateAuthority', 'clientCertificate', 'tlsServerName', 'insecureSkipTlsVerify']) {
      if (given(field)) problem(field, 'needs a server that begins with https://');
    }
  }
  if (given('insecureSkipTlsVerify') && given('certificateAuthority')) {
    problem('insecureSkipTlsVerify', 'cannot be combined with certificateAuthority; set only one of them');
  }
  return problems;
}
