/**
 * The API of a cluster that is being made. By a kubeconfig, of which no command is run: whoever may write the Secret would run programs here;
 * or by a token of the identity that a provider has.
 */
import type { Environment } from '../../../../shared/base/environment.ts';
import { failed, ok, type Result } from '../../../../shared/base/result.ts';
import type { Clock, Random } from '../../../../shared/base/runtime.ts';
import type { NewClusterAccess } from '../../../../shared/clusters/drivers/contract.ts';
import type { OpenNewCluster } from '../../../../shared/clusters/services.ts';
import type { ClusterConfig, Config } from '../../../../shared/config/load.ts';
import type { ClusterAccess } from '../../../../shared/kube/access/access.ts';
import { readKubeconfigText } from '../../../../shared/kube/access/kubeconfig.ts';
import { deferCluster } from '../../../../shared/kube/client/deferred.ts';
import { connectCluster } from '../../../../shared/kube/client/http.ts';
import type { Log } from '../../../../shared/observe/log/log.ts';
import type { ProviderManifest } from '../../../../shared/providers/manifest.ts';
import { manifests } from '../../../../shared/providers/manifests.ts';
import { providerOptions } from '../provider-options.ts';
import { azurePlaceOf } from './arm-id.ts';

export interface NewClusterParts {
  config: Config;
  clock: Clock;
  random: Random;
  log: Log;
  env: Environment;
}

const limits = { requestTimeoutMs: 15_000, connectTimeoutMs: 5000, fieldManager: 'poolwright', maxSockets: 4 };

export const newClusters =
  (parts: NewClusterParts): OpenNewCluster =>
  async (name, access, signal) => {
    const { clock, random, log, env } = parts;
    const found = access.kind === 'kubeconfig' ? readText(access.text) : await findByIdentity(parts, access, signal);
    if (!found.ok) return found;
    const { at, close } = found.value;
    const connection = { name, clock, random, log, env, ...limits };
    const api = deferCluster({
      name,
      clock,
      find: async () => ok(at),
      connect: (known) => connectCluster({ ...known, ...connection }),
      close,
    });
    return ok({ api, server: at.url, ...(at.ca === undefined ? {} : { certificateAuthority: at.ca }) });
  };

interface FoundAccess {
  at: ClusterAccess;
  close(): void;
}

function readText(text: string): Result<FoundAccess> {
  const read = readKubeconfigText(text);
  if (!read.ok) return failed('invalid', `the kubeconfig of the new cluster cannot be used: ${read.text}`);
  if (read.access.exec !== undefined) {
    const message = 'the kubeconfig of the new cluster runs a command for credentials, which Poolwright does not do';
    return failed('invalid', message);
  }
  return ok({ at: read.access, close: () => undefined });
}

async function findByIdentity(
  { config, clock, env }: NewClusterParts,
  { kind, id }: Exclude<NewClusterAccess, { kind: 'kubeconfig' }>,
  signal: AbortSignal | undefined,
): Promise<Result<FoundAccess>> {
  const manifest = (manifests as readonly ProviderManifest[]).find(({ access }) => access?.kind === kind);
  const provider = Object.values(config.providers).find(({ type }) => type === manifest?.type);
  if (manifest?.access === undefined || provider === undefined) {
    const message = `the new cluster has no local accounts, so its API needs the identity of a provider of type ${manifest?.type ?? kind}, and none is configured`;
    return failed('invalid', message);
  }
  const { openCluster } = await manifest.access.load();
  const section = manifest.perCluster?.section ?? '';
  const asCluster = { [section]: azurePlaceOf(id) } as unknown as ClusterConfig;
  const opened = openCluster(providerOptions(provider, asCluster), { clock, env });
  if (!opened.ok) return opened;
  const cloud = opened.value;
  const found = await cloud.find(signal ?? new AbortController().signal);
  if (found.ok) return ok({ at: found.value, close: () => cloud.close() });
  cloud.close();
  return found;
}
