/**
 * The driver port: how manifests become things in Azure. `aso` has Azure Service Operator in a management cluster do it, `arm` asks Azure
 * Resource Manager. Every method may be called any number of times and die anywhere; what it has done is found again by asking.
 *
 * - Names derive from the request, so a thing is identified by its manifest. Whose it is, its tags and labels say (`resolved/tags.ts`).
 * - `probe` comes before the first `apply` of each manifest: what exists and is not ours is never taken over.
 * - Manifests for the new cluster (NodeClass, NodePool) are not a driver's: they go to the cluster that `access` leads to.
 */
import type { JsonObject } from '../../base/json.ts';
import type { ErrorKind, Result } from '../../base/result.ts';
import type { Served } from '../manifests/api-versions.ts';
import type { Manifest } from '../manifests/manifest.ts';
import type { Owner } from '../resolved/tags.ts';

export type ProbeResult =
  /** Nothing of that name exists, as far as can be known. */
  | { state: 'free' }
  /** It exists, and its marks are those of the request. */
  | { state: 'ours' }
  /** It exists and belongs to somebody else: `whose` for people. Nothing of it was touched. */
  | { state: 'foreign'; whose: string }
  /** Nobody can tell yet. */
  | { state: 'pending'; waitingFor: string }
  /** Nobody will be able to tell until something is fixed. */
  | { state: 'failed'; failure: Fault };

/** Why something does not come about, in one code of the cloud or of ours. */
export interface Fault {
  kind: ErrorKind;
  /** As Azure, the operator or we name it: `SkuNotAvailable`. */
  code: string;
  message: string;
  /** How loudly the operator says it. */
  severity?: 'Info' | 'Warning' | 'Error';
  /** It will not go away without a change of the request. Else it is tried again. */
  final: boolean;
}

/** What is known of a thing that exists; what a driver does not know is absent. */
export interface Outputs {
  /** ARM id. */
  id?: string;
  fqdn?: string;
  kubernetesVersion?: string;
  nodeResourceGroup?: string;
  oidcIssuer?: string;
  powerState?: string;
  /** Of an identity. */
  principalId?: string;
  clientId?: string;
  /** The public half of a deploy key that Azure has made: somebody has to enter it at the Git host. */
  repositoryPublicKey?: string;
}

export type LookResult =
  | { state: 'ready'; outputs: Outputs }
  /** `fault`: what holds it up, if something does; it may still come about by itself. */
  | { state: 'pending'; waitingFor: string; fault?: Fault; outputs?: Outputs }
  | { state: 'failed'; fault: Fault; outputs?: Outputs }
  /** It is not there. */
  | { state: 'absent' };

export type RemovedResult = { state: 'gone' } | { state: 'pending'; waitingFor: string; fault?: Fault };

/** How the API server of a new cluster is reached. Credentials are secrets: they are never logged, kept or put into an error. */
export type NewClusterAccess =
  /** `where`: the Secret that has it; absent where the driver asked Azure for it. */
  | { kind: 'kubeconfig'; text: string; where?: { namespace: string; name: string; key: string } }
  /** By a token of Microsoft Entra for the cluster of this ARM id. */
  | { kind: 'aks'; id: string };

/** Spec and state as they are now, in the shape of the manifest's API version. */
export interface Observed {
  spec?: JsonObject;
  status?: JsonObject;
}

/** Something that has our marks. */
export interface Found {
  owner: Pick<Owner, 'uid'> & Partial<Owner>;
  /** Enough to look at it and to remove it. */
  manifest: Manifest;
  /** It exists in Azure, or once did. False: surely it never has. */
  everMade: boolean;
  /** It has no marks of its own: it is where a request has its things, and people may have put it there. */
  byPlace?: true;
  /** What its operator says of it, for metrics; absent where there is no operator. */
  ready?: { status: string; reason: string };
}

export interface ClusterDriver {
  readonly name: 'aso' | 'arm';
  /** What can be written, by kind; empty where a driver needs no such choice. */
  served(signal?: AbortSignal): Promise<Result<Served>>;
  probe(manifest: Manifest, signal?: AbortSignal): Promise<Result<ProbeResult>>;
  /**
   * Begins to make it, or to bring it up to what the manifest says. `not-ready`: it was not probed, or is being removed; probe again.
   * `conflict`: somebody else holds a field; the message names them.
   */
  apply(manifest: Manifest, signal?: AbortSignal): Promise<Result<void>>;
  look(manifest: Manifest, signal?: AbortSignal): Promise<Result<LookResult>>;
  /** Makes the cloud try again now what has failed and would be tried again much later. */
  wake?(manifest: Manifest, signal?: AbortSignal): Promise<Result<void>>;
  /**
   * Begins to remove it, if it is ours: what is not stays, and counts as gone. The policy of the manifest says what becomes of the thing
   * in Azure (`detach-on-delete` leaves it).
   */
  remove(manifest: Manifest, signal?: AbortSignal): Promise<Result<void>>;
  lookRemoved(manifest: Manifest, signal?: AbortSignal): Promise<Result<RemovedResult>>;
  /** `not-ready` while there are no credentials yet. @param cluster The manifest of the ManagedCluster. */
  access(cluster: Manifest, signal?: AbortSignal): Promise<Result<NewClusterAccess>>;
  /** For the comparison with what was asked for. Undefined: it is not there. */
  observe(manifest: Manifest, signal?: AbortSignal): Promise<Result<Observed | undefined>>;
  /** Everything with the marks of a request: of the one with this uid, or of all. */
  find(uid?: string, signal?: AbortSignal): Promise<Result<readonly Found[]>>;
}
