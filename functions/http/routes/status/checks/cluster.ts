/** Whether a cluster can be reached and used, and who acts on it. */
import type { Check } from '../../../../../shared/base/checks.ts';
import type { ClusterServices } from '../../../../../shared/nodes/steps/services.ts';
import type { FunctionServices } from '../../../../declaration.ts';

export async function clusterChecks(
  services: FunctionServices,
  cluster: ClusterServices,
  signal: AbortSignal,
): Promise<Check[]> {
  const name = `cluster ${cluster.name}`;
  const identity = await cluster.identity();
  if (!identity.ok) {
    const repair = `fix clusters.${cluster.name} in the configuration, or the network path from the host to its API server`;
    return [{ name, state: 'fail', message: identity.error.message, code: 'ClusterUnavailable', repair }];
  }
  return [
    ...(await undisputed(cluster, identity.value)),
    {
      name,
      state: 'pass',
      message: `the host can reach it; the uid of its kube-system namespace is ${identity.value}`,
    },
    ...(await usable(services, cluster, signal)),
    await standing(services, cluster),
    ...(await settings(cluster, signal)),
  ];
}

/** A cluster that is served may still share its uid with one that is not. */
async function undisputed({ name, collectable }: ClusterServices, uid: string): Promise<Check[]> {
  const answer = await collectable?.(uid);
  if (answer === undefined || answer.ok) return [];
  const label = `cluster ${name}: identity`;
  const message = `no garbage collection: ${answer.error.message}`;
  // A cluster that was never reached is a problem of its own, and its own check says so.
  if (answer.error.kind !== 'invalid') return [{ name: label, state: 'warn', message }];
  return [{ name: label, state: 'fail', message, code: 'ClusterDisputed' }];
}

/** Definitions and rights, asked now by the identity of the host. */
async function usable(
  { ownership }: FunctionServices,
  { name }: ClusterServices,
  signal: AbortSignal,
): Promise<Check[]> {
  const label = `cluster ${name}: definitions and rights`;
  if (ownership.lacks === undefined) return [];
  const lacking = await ownership.lacks(name, signal);
  if (!lacking.ok) return [{ name: label, state: 'warn', message: `not checked: ${lacking.error.message}` }];
  if (lacking.value.length === 0)
    return [{ name: label, state: 'pass', message: 'all required definitions and permissions are present' }];
  return lacking.value.map((lack): Check => {
    const isRight = lack.kind === 'right';
    const message = isRight ? `the host ${lack.message}` : lack.message;
    const repair = isRight
      ? 'kubectl apply -f infra/kubernetes/rbac/provisioner.yaml'
      : 'poolwright crds check, then poolwright crds install';
    return { name: label, state: 'fail', message, code: 'ClusterNotUsable', repair };
  });
}

async function standing(services: FunctionServices, { name }: ClusterServices): Promise<Check> {
  const label = `cluster ${name}: owner`;
  const found = await services.ownership.standing(name);
  if (found.acts) return { name: label, state: 'pass', message: `deployment ${services.deployment} acts` };
  const { reason, why } = found;
  const repair = repairs[reason];
  // Another deployment that serves the cluster is in order, if it is meant.
  return { name: label, state: reason === 'NotOwner' ? 'warn' : 'fail', message: why, code: reason, ...repair };
}

const repairs: Readonly<Record<string, { repair: string }>> = {
  RivalProvisioner: { repair: 'stop the other provisioner, or remove the cluster from the configuration' },
  ClusterNotUsable: { repair: 'poolwright crds check, and kubectl apply -f infra/kubernetes/rbac/provisioner.yaml' },
  NotOwner: { repair: 'kubectl get lease -n kube-system poolwright -o yaml shows which deployment acts' },
};

async function settings(cluster: ClusterServices, signal: AbortSignal): Promise<Check[]> {
  await cluster.settings.current(signal);
  const problem = cluster.settings.problem();
  if (problem === undefined) return [];
  const repair = 'fix the ConfigMap poolwright-settings, or the values of the chart that writes it';
  const name = `cluster ${cluster.name}: settings`;
  return [{ name, state: 'warn', message: problem, code: 'ClusterSettingsUnusable', repair }];
}
