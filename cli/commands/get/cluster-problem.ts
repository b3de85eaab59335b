/** Why a cluster would not answer, as something that a person can mend. */
import { existsSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Failure } from '../../../shared/base/result.ts';
import { type ClusterApi, failureCodes, type Resource } from '../../../shared/kube/contract.ts';
import { printable } from '../../terminal/text-table.ts';
import { UserError } from '../../terminal/user-error.ts';

export function clusterProblem(failure: Failure, { name }: ClusterApi, { plural, group }: Resource): UserError {
  const message = printable(failure.message);
  const what = group === '' ? plural : `${plural}.${group}`;
  const told = (text: string, code: string): UserError => new UserError(text, { code, cause: failure.cause });
  if (failure.code === failureCodes.unauthenticated) {
    return told(`The cluster of ${name} does not let you in: ${message}`, 'NoClusterAccess');
  }
  if (failure.kind === 'unauthorised') {
    const advice = `Ask for the right to list and watch ${what}, or use another user with --context.`;
    return told(`The cluster of ${name} does not let you see ${what}: ${message}. ${advice}`, 'NotAllowed');
  }
  if (failure.code === failureCodes.notServed) {
    const advice = "Install the kinds with 'poolwright crds install', or name another cluster with --context.";
    return told(`The cluster of ${name} does not know ${what}. ${advice}`, 'ClusterNotUsable');
  }
  if (failure.kind === 'invalid')
    return told(`The cluster did not understand what to look for: ${message}`, 'InvalidOption');
  const home = failure.code === 'ECONNREFUSED' ? simulatedIn(name) : undefined;
  if (home !== undefined) {
    const text = `The simulated cluster in ${home} does not run: it runs with its host. Start that with 'poolwright start --data-dir ${home}'.`;
    return told(printable(text), 'HostUnreachable');
  }
  return told(
    `The cluster of ${name} can't be reached: ${message}. Is it running, and is this the right --kubeconfig and --context?`,
    'ClusterUnavailable',
  );
}

/** The data directory of a host that brings its own cluster, if the kubeconfig is the one that it left there. */
function simulatedIn(kubeconfig: string): string | undefined {
  const folder = dirname(kubeconfig);
  return basename(kubeconfig) === 'kubeconfig' && existsSync(join(folder, 'cluster.db')) ? folder : undefined;
}
