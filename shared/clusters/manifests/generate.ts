/**
 * The one generator from a request to manifests. Pure and deterministic: the same request gives the same bytes, so every step may apply
 * them again at any time.
 *
 * @example
 * const { stages, findings } = generate(resolved, { deployment: 'office', uid: request.metadata.uid });
 */
import type { JsonObject } from '../../base/json.ts';
import { isObject } from '../../base/json.ts';
import type { Resolved } from '../resolved/resolve.ts';
import type { Finding } from '../rules/finding.ts';
import { agentPools } from './agent-pools.ts';
import { type AsoKindName, asoKinds, chooseVersion } from './api-versions.ts';
import { type GenerateContext, generation } from './context.ts';
import { fluxConfiguration, fluxExtension, remoteFlux } from './flux.ts';
import { federatedCredentials, identityAndRoles, resourceGroup } from './group-and-identity.ts';
import { nodeClass, nodePool } from './karpenter.ts';
import { managedClusterSpec } from './managed-cluster.ts';
import type { Manifest, PlannedStage } from './manifest.ts';
import { objectNames } from './object-names.ts';

export interface Generated {
  stages: readonly PlannedStage[];
  /** What the management cluster can't do for this request. */
  findings: readonly Finding[];
}

const minutes = 60;
const asoReady = 'the operator reports Ready for its present generation';

export function generate(resolved: Resolved, context: GenerateContext): Generated {
  const findings: Finding[] = [];
  const made = generation(resolved, context);
  const served = context.served ?? {};
  const missing = (kind: AsoKindName, cause: string, fix: string): void => {
    if (findings.some((one) => one.cause === cause)) return;
    findings.push({
      severity: 'error',
      field: `spec.${kind === 'ManagedCluster' ? 'aso.apiVersion' : 'aso'}`,
      code: 'ApiVersionNotServed',
      cause,
      fix,
    });
  };
  const version = (kind: AsoKindName, paths: readonly string[] = []): string => {
    const chosen = chooseVersion(kind, served, { paths });
    for (const path of chosen?.lacking ?? []) {
      const fix = `use a release of the operator that serves ${preferred(kind)}, or leave it out`;
      const cause = `${chosen?.apiVersion} of ${kind} has no ${path}`;
      const field = kind === 'FluxConfiguration' ? 'spec.gitOps.provider' : 'spec.nodePool.imageFamily';
      findings.push({ severity: 'error', field, code: 'ApiVersionLacksField', cause, fix });
    }
    if (chosen === undefined) {
      const cause = `the management cluster serves ${listOf(served[kind])} of ${kind}, and none that can be used`;
      missing(kind, cause, `use a release of the operator that serves ${preferred(kind)}`);
    }
    return chosen?.apiVersion ?? `${asoKinds[kind].group}/${preferred(kind)}`;
  };

  const cluster = clusterManifest(made, served, findings);
  const stages: PlannedStage[] = [];
  const add = (
    stage: PlannedStage['stage'],
    where: PlannedStage['cluster'],
    manifests: readonly Manifest[],
    readyWhen: string,
    deadlineSeconds: number,
  ): void => {
    if (manifests.length > 0) stages.push({ stage, cluster: where, readyWhen, deadlineSeconds, manifests });
  };

  add('ResourceGroup', 'management', [resourceGroup(made, version)], asoReady, 5 * minutes);
  add('Identity', 'management', identityAndRoles(made, version), asoReady, 5 * minutes);
  const clusterReady = `${asoReady}, its API answers and its system nodes are Ready`;
  add('ManagedCluster', 'management', [cluster], clusterReady, (resolved.network.private ? 45 : 30) * minutes);
  add('FederatedCredentials', 'management', federatedCredentials(made, version), asoReady, 5 * minutes);
  if (resolved.nodes === 'agentPools') {
    const pools = agentPools(made, ({ osSKU }) => {
      const paths = osSKU === undefined ? [] : [`osSKU=${osSKU}`];
      return version('ManagedClustersAgentPool', paths);
    });
    add('AgentPools', 'management', pools, asoReady, 20 * minutes);
  } else {
    add('NodeClass', 'new', [nodeClass(made)], 'its kind is served there, and it is Ready', 10 * minutes);
    add('NodePool', 'new', [nodePool(made)], 'it is Ready', 5 * minutes);
  }
  const { gitOps, addOns } = resolved;
  if (gitOps?.mode === 'extension' || addOns.flux === true) {
    add('Flux', 'management', [fluxExtension(made, version('Extension'))], asoReady, 20 * minutes);
  }
  if (gitOps?.mode === 'extension') {
    const configuration = fluxConfiguration(made, gitOps, (paths) => version('FluxConfiguration', paths));
    add('GitOps', 'management', [configuration], `${asoReady}, and every kustomization is applied`, 20 * minutes);
  } else if (gitOps !== undefined) {
    const ready = 'source and kustomizations are Ready for their present generation';
    add('GitOps', 'management', remoteFlux(made, gitOps), ready, 20 * minutes);
  }
  return { stages, findings };
}

function clusterManifest(
  made: ReturnType<typeof generation>,
  served: NonNullable<GenerateContext['served']>,
  findings: Finding[],
): Manifest {
  const { resolved } = made;
  const kind = 'ManagedCluster';
  const spec = managedClusterSpec(made);
  const wanted = resolved.aso.apiVersion;
  const chosen = chooseVersion(kind, served, { paths: pathsOf(spec, ''), wanted });
  const field = 'spec.aso.apiVersion';
  const first = preferred(kind);
  if (chosen === undefined) {
    const usable = asoKinds[kind].versions.map((one) => one.version);
    const cause =
      wanted === undefined
        ? `the management cluster serves ${listOf(served[kind])} of ${kind}, and none that can be used`
        : `${kind} ${wanted.slice(0, 63)} is not served, or not known`;
    const fix = `use one of ${usable.filter((one) => served[kind]?.includes(one) ?? true).join(', ') || `a release of the operator that serves ${first}`}`;
    findings.push({ severity: 'error', field, code: 'ApiVersionNotServed', cause, fix });
  }
  const lacking = chosen?.lacking ?? [];
  for (const path of lacking) {
    const cause = `${chosen?.apiVersion} has no ${path}`;
    // AKS then adds two pools of its own, which is not what was asked for, but a cluster that works.
    const harmless = path === 'nodeProvisioningProfile.defaultNodePools';
    const severity = harmless ? 'warning' : 'error';
    const upgrade = `use a release of the operator that serves ${first}`;
    const [asked, instead] = path.startsWith('nodeProvisioningProfile')
      ? ['spec.nodes', harmless ? 'expect the NodePools default and system-surge of AKS' : 'set nodes: agentPools']
      : ['spec.network.outboundType', 'choose another outboundType'];
    findings.push({ severity, field: asked, code: 'ApiVersionLacksField', cause, fix: `${instead}, or ${upgrade}` });
  }
  const apiVersion = chosen?.apiVersion ?? `${asoKinds[kind].group}/${first}`;
  return made.aso(kind, objectNames(resolved.name).cluster, without(spec, lacking), apiVersion);
}

const preferred = (kind: AsoKindName): string => asoKinds[kind].versions[0]?.version ?? '';

const listOf = (versions: readonly string[] | undefined): string =>
  versions?.length ? versions.join(', ') : 'no version';

/** Fields, and what they say: an API version may have a field and not this value of it. */
function pathsOf(fields: JsonObject, prefix: string): string[] {
  return Object.entries(fields).flatMap(([key, value]) => [
    `${prefix}${key}`,
    ...(isObject(value) ? pathsOf(value, `${prefix}${key}.`) : [`${prefix}${key}=${String(value)}`]),
  ]);
}

function without(fields: JsonObject, paths: readonly string[], prefix = ''): JsonObject {
  return Object.fromEntries(
    Object.entries(fields)
      .filter(([key]) => !paths.includes(`${prefix}${key}`))
      .map(([key, value]) => [key, isObject(value) ? without(value, paths, `${prefix}${key}.`) : value]),
  );
}
