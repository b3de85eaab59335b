/** The repository: a URL that can be read, without a credential in it, and credentials where they are needed. */
import type { ClusterRequest } from '../request/request.ts';
import type { Resolved, ResolvedGitOps } from '../resolved/resolve.ts';
import type { Report } from './finding.ts';

const field = 'spec.gitOps';
const name = /^[a-z0-9]([-a-z0-9]{0,38}[a-z0-9])?$/;
const secretName = /^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$/;
const interval = /^([0-9]+(\.[0-9]+)?(ms|s|m|h))+$/;
const privateHosts = /(^|\.)(dev\.azure\.com|visualstudio\.com)$/i;

export function checkGitOps({ spec }: ClusterRequest, resolved: Resolved, report: Report): void {
  const { gitOps } = resolved;
  checkNodesForFlux(resolved, report);
  if (gitOps === undefined) return;
  checkUrl(gitOps, report);
  const refs = (['branch', 'tag', 'semver', 'commit'] as const).filter((one) => spec.gitOps?.[one] !== undefined);
  const pinned = refs.filter((one) => one !== 'branch');
  // Flux takes a commit of a branch, and of the others exactly one.
  if (pinned.length > 1 || (refs.includes('branch') && pinned.length === 1 && pinned[0] !== 'commit')) {
    report(
      'error',
      'GitOpsInvalid',
      `${field}.${pinned[0]}`,
      `${refs.join(' and ')} exclude each other`,
      'keep one of them',
    );
  }
  if (gitOps.secretRef !== undefined && !secretName.test(gitOps.secretRef.name)) {
    report(
      'error',
      'GitOpsInvalid',
      `${field}.secretRef.name`,
      'it is not the name of a Secret',
      'use the name of a Secret in the namespace of the request',
    );
  }
  if (!interval.test(gitOps.interval)) {
    report(
      'error',
      'GitOpsInvalid',
      `${field}.interval`,
      'it is not a duration that Flux reads',
      'write it as 5m or 1h30m',
    );
  }
  checkKustomizations(gitOps, report);
}

/** Its pods tolerate no taint, and its installation is rolled back while they have no node. */
function checkNodesForFlux({ gitOps, addOns, systemPool, nodePool }: Resolved, report: Report): void {
  const extension = gitOps?.mode === 'extension' || addOns.flux === true;
  if (!extension || !systemPool.criticalAddonsOnly || nodePool.taints.length === 0) return;
  const cause = 'every node of the cluster has a taint, so the pods of Flux have no node and its installation fails';
  const fix = 'remove criticalAddonsOnly, or use a pool type without taints';
  report('error', 'GitOpsInvalid', 'spec.systemPool.criticalAddonsOnly', cause, fix);
}

function checkUrl({ url, mode, provider, secretRef, public: isPublic }: ResolvedGitOps, report: Report): void {
  const at = `${field}.url`;
  // What is not a URL is never quoted: a token may be in it.
  const parsed = /^(https?|ssh):\/\//.test(url) && URL.canParse(url) ? new URL(url) : undefined;
  if (parsed === undefined || parsed.hostname === '') {
    const scp = /^[\w.-]+@[\w.-]+:(?!\/\/)/.test(url);
    const cause = scp
      ? 'the short form of ssh is not a URL'
      : 'it is not a URL that begins with https://, http:// or ssh://';
    report('error', 'GitUrlInvalid', at, cause, 'write it as https://host/path, or as ssh://git@host/path');
    return;
  }
  const ssh = parsed.protocol === 'ssh:';
  if (parsed.password !== '' || (!ssh && parsed.username !== '')) {
    const cause = 'the URL contains a credential, which anyone who can read the request can read';
    report('error', 'GitUrlInvalid', at, cause, 'revoke it, put a new one into a Secret, and name that in secretRef');
    return;
  }
  if (isPublic === true) {
    if (ssh)
      report(
        'error',
        'GitCredentialsMissing',
        `${field}.public`,
        'ssh always needs a key',
        'use an https:// URL, or set secretRef',
      );
    return;
  }
  if (secretRef !== undefined || provider === 'Azure') return;
  if (ssh || privateHosts.test(parsed.hostname)) {
    const cause = ssh
      ? 'ssh needs a key, and no Secret is named'
      : `repositories of ${parsed.hostname} need credentials, and none are named`;
    const withIdentity = ssh ? '' : ', or set provider: Azure to use a workload identity';
    report(
      'error',
      'GitCredentialsMissing',
      `${field}.secretRef`,
      cause,
      `set secretRef to a Secret with the credentials${withIdentity}`,
    );
    return;
  }
  const cause = `no credentials are named, so ${mode === 'remote' ? 'Flux' : 'the extension'} can read the repository only if it is public`;
  report('warning', 'GitCredentialsMissing', `${field}.secretRef`, cause, 'set secretRef, or set public: true');
}

function checkKustomizations({ kustomizations }: ResolvedGitOps, report: Report): void {
  const names = new Set<string>();
  for (const [index, one] of kustomizations.entries()) {
    const at = `${field}.kustomizations[${index}]`;
    if (!name.test(one.name)) {
      report(
        'error',
        'GitOpsInvalid',
        `${at}.name`,
        'it is not a name that Kubernetes allows',
        'use lowercase letters, digits and dashes, 40 at most',
      );
    }
    if (names.has(one.name))
      report('error', 'GitOpsInvalid', `${at}.name`, `${one.name} occurs twice`, 'use different names');
    // Only what stands before it: so nothing can wait for itself, by whatever way.
    for (const dependency of one.dependsOn) {
      if (names.has(dependency)) continue;
      const cause = `no kustomization before this one is named ${dependency.slice(0, 63)}`;
      report(
        'error',
        'GitOpsInvalid',
        `${at}.dependsOn`,
        cause,
        'list kustomizations in the order in which they depend on each other',
      );
    }
    names.add(one.name);
  }
}
