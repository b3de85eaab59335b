/** GitOps: by the extension of AKS, which installs Flux in the new cluster, or by the Flux of the management cluster. */
import { parseSeconds } from '../../base/durations.ts';
import type { JsonObject } from '../../base/json.ts';
import { objectName } from '../resolved/names.ts';
import type { ResolvedGitOps } from '../resolved/resolve.ts';
import type { Generation } from './context.ts';
import type { Manifest } from './manifest.ts';
import { kubeconfigKey, objectNames } from './object-names.ts';

const fluxNamespace = 'flux-system';
const clusterOf = (name: string): JsonObject => ({
  group: 'containerservice.azure.com',
  kind: 'ManagedCluster',
  name: objectNames(name).cluster,
});

export function fluxExtension({ resolved: { name }, aso }: Generation, apiVersion: string): Manifest {
  const spec: JsonObject = {
    // As the tools of Azure name it: a second one of this type is refused.
    azureName: 'flux',
    owner: clusterOf(name),
    extensionType: 'microsoft.flux',
    autoUpgradeMinorVersion: true,
    scope: { cluster: { releaseNamespace: fluxNamespace } },
  };
  return aso('Extension', objectNames(name).flux, spec, apiVersion);
}

/** @param versionFor The API version for what it says. */
export function fluxConfiguration(
  made: Generation,
  gitOps: ResolvedGitOps,
  versionFor: (paths: readonly string[]) => string,
): Manifest {
  const { name } = made.resolved;
  const seconds = Math.max(1, Math.round(parseSeconds(gitOps.interval) ?? 300));
  const kustomizations = gitOps.kustomizations.map(({ name: key, path, dependsOn, prune, wait }) => {
    const one = { path, prune, wait, syncIntervalInSeconds: seconds };
    return [key, dependsOn.length === 0 ? one : { ...one, dependsOn: [...dependsOn] }] as const;
  });
  const spec: JsonObject = {
    owner: clusterOf(name),
    namespace: fluxNamespace,
    scope: 'cluster',
    sourceKind: 'GitRepository',
    gitRepository: {
      url: gitOps.url,
      // Without it, it is Generic; older API versions know nothing else.
      ...(gitOps.provider === 'Generic' ? {} : { provider: gitOps.provider }),
      repositoryRef: refOf(gitOps),
      syncIntervalInSeconds: seconds,
    },
    kustomizations: Object.fromEntries(kustomizations),
    ...(gitOps.secretRef === undefined ? {} : { configurationProtectedSettings: { name: gitOps.secretRef.name } }),
    waitForReconciliation: true,
    reconciliationWaitDuration: 'PT15M',
  };
  const paths = gitOps.provider === 'Generic' ? [] : ['gitRepository.provider'];
  return made.aso('FluxConfiguration', objectNames(name).gitOps, spec, versionFor(paths));
}

/** Nothing is installed in the new cluster: its kubeconfig is enough. */
export function remoteFlux(made: Generation, gitOps: ResolvedGitOps): Manifest[] {
  const { name, namespace } = made.resolved;
  const names = objectNames(name);
  const source = made.plain(
    'source.toolkit.fluxcd.io/v1',
    'GitRepository',
    names.gitOps,
    {
      url: gitOps.url,
      interval: gitOps.interval,
      ref: refOf(gitOps),
      provider: gitOps.provider.toLowerCase(),
      ...(gitOps.secretRef === undefined ? {} : { secretRef: { name: gitOps.secretRef.name } }),
    },
    namespace,
  );
  const nameOf = (kustomization: string): string => objectName(name, `gitops-${kustomization}`);
  const kustomizations = gitOps.kustomizations.map((one) =>
    made.plain(
      'kustomize.toolkit.fluxcd.io/v1',
      'Kustomization',
      nameOf(one.name),
      {
        interval: gitOps.interval,
        path: one.path,
        prune: one.prune,
        wait: one.wait,
        sourceRef: { kind: 'GitRepository', name: names.gitOps },
        kubeConfig: { secretRef: { name: names.kubeconfig, key: kubeconfigKey } },
        ...(one.dependsOn.length === 0 ? {} : { dependsOn: one.dependsOn.map((other) => ({ name: nameOf(other) })) }),
      },
      namespace,
    ),
  );
  return [source, ...kustomizations];
}

const refOf = ({ branch, tag, semver, commit }: ResolvedGitOps): JsonObject => ({
  ...(branch === undefined ? {} : { branch }),
  ...(tag === undefined ? {} : { tag }),
  ...(semver === undefined ? {} : { semver }),
  ...(commit === undefined ? {} : { commit }),
});
