/** What the management cluster says: which kinds of the operator it serves, whether there is a credential, and what we may do. */
import type { Json } from '../../base/json.ts';
import type { Result } from '../../base/result.ts';
import {
  type ClusterApi,
  customResourceDefinitions,
  type KubeObject,
  secrets,
  selfSubjectAccessReviews,
} from '../../kube/contract.ts';
import { type AsoKindName, asoKinds, chooseVersion, type Served } from '../manifests/api-versions.ts';
import { generate } from '../manifests/generate.ts';
import type { Resolved } from '../resolved/resolve.ts';
import { type Check, likely, skipped, unlikely } from './check.ts';
import { neededRights, rightText } from './needed-rights.ts';

interface Definition extends KubeObject {
  spec: { versions: readonly { name: string; served: boolean }[] };
}

interface Review extends KubeObject {
  status?: { allowed?: boolean };
}

const isAsoKind = (kind: string): kind is AsoKindName => Object.hasOwn(asoKinds, kind);

/** The kinds of the operator that a request needs: those of its manifests. */
export function neededKinds(resolved: Resolved): AsoKindName[] {
  const { stages } = generate(resolved, { deployment: '', uid: '' });
  return [...new Set(stages.flatMap(({ manifests }) => manifests.map(({ kind }) => kind)))].filter(isAsoKind);
}

export interface OperatorAnswer {
  checks: Check[];
  /** By kind, as far as the cluster could be asked. */
  served: Served;
}

export async function checkOperator(
  api: ClusterApi,
  kinds: readonly AsoKindName[],
  signal: AbortSignal,
): Promise<OperatorAnswer> {
  const served: Record<string, readonly string[]> = {};
  const missing: string[] = [];
  for (const kind of kinds) {
    const { group, plural } = asoKinds[kind];
    const found = await api.get<Definition>(customResourceDefinitions, { name: `${plural}.${group}` }, signal);
    if (found.ok) served[kind] = found.value.spec.versions.filter((one) => one.served).map(({ name }) => name);
    else if (found.error.kind === 'not-found') missing.push(`${kind} (${group})`);
    else return { checks: [skipped('operator', `its kinds cannot be read: ${found.error.message}`)], served };
  }
  if (missing.length > 0) {
    const groups = [...new Set(kinds.map((kind) => `${asoKinds[kind].group}/*`))].join(';');
    const cause = `cluster ${api.name} lacks ${missing.join(', ')} of Azure Service Operator`;
    const fix = `install the operator with crdPattern: ${groups}`;
    return { checks: [unlikely('operator', 'AsoNotInstalled', cause, fix)], served };
  }
  const unusable = kinds.filter((kind) => chooseVersion(kind, served as Served) === undefined);
  if (unusable.length > 0) {
    const which = unusable.map((kind) => `${kind} (serves ${served[kind]?.join(', ') || 'none'})`).join(', ');
    const cause = `cluster ${api.name} serves no usable API version of ${which}`;
    return { checks: [unlikely('operator', 'ApiVersionNotServed', cause, 'upgrade Azure Service Operator')], served };
  }
  const version = chooseVersion('ManagedCluster', served as Served)?.apiVersion.split('/')[1];
  return { checks: [likely('operator', `all kinds are served; ManagedCluster as ${version}`)], served };
}

const operatorNamespace = 'azureserviceoperator-system';

/** Only whether the Secret is there; what is in it is nobody's business here. */
export async function checkCredential(
  api: ClusterApi,
  { namespace, aso }: Resolved,
  signal: AbortSignal,
): Promise<Check[]> {
  const there = async (name: string, at: string): Promise<Result<boolean>> => {
    const found = await api.get(secrets, { name, namespace: at }, signal);
    if (found.ok) return { ok: true, value: true };
    return found.error.kind === 'not-found' ? { ok: true, value: false } : found;
  };
  const named = aso.credentialFrom;
  const own = await there(named ?? 'aso-credential', namespace);
  if (!own.ok) return [skipped('credential', `Secrets in ${namespace} cannot be read: ${own.error.message}`)];
  if (own.value) return [likely('credential', `Secret ${named ?? 'aso-credential'} is in ${namespace}`)];
  if (named !== undefined) {
    const cause = `there is no Secret ${named} in ${namespace}`;
    return [
      unlikely(
        'credential',
        'AsoCredentialMissing',
        cause,
        'create it, or correct the name',
        'spec.aso.credentialFrom',
      ),
    ];
  }
  const global = await there('aso-controller-settings', operatorNamespace);
  if (!global.ok) {
    return [
      skipped('credential', `${namespace} has no aso-credential, and that of the operator itself cannot be read`),
    ];
  }
  if (global.value) return [likely('credential', 'the credential of the operator itself is used')];
  const cause = `neither ${namespace} nor the operator has a credential for Azure`;
  return [unlikely('credential', 'AsoCredentialMissing', cause, `create the Secret aso-credential in ${namespace}`)];
}

export async function checkRights(
  api: ClusterApi,
  kinds: readonly AsoKindName[],
  namespace: string,
  signal: AbortSignal,
): Promise<Check[]> {
  const missing: string[] = [];
  for (const right of neededRights(kinds, namespace)) {
    const [resource = '', subresource] = right.resource.split('/');
    const review: Json = {
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SelfSubjectAccessReview',
      spec: {
        resourceAttributes: {
          group: right.group,
          resource,
          verb: right.verb,
          ...(subresource === undefined ? {} : { subresource }),
          ...(right.namespace === undefined ? {} : { namespace: right.namespace }),
          ...(right.name === undefined ? {} : { name: right.name }),
        },
      },
    };
    const answer = await api.create<Review>(selfSubjectAccessReviews, review, signal);
    if (!answer.ok) return [skipped('rights', `the cluster does not say what we may do: ${answer.error.message}`)];
    if (answer.value.status?.allowed !== true) missing.push(rightText(right));
  }
  if (missing.length === 0) return [likely('rights', `this host may do everything that is needed in ${namespace}`)];
  return missing.map((right) =>
    unlikely(
      'rights',
      'ClusterRightMissing',
      `this host may not: ${right}`,
      'apply the ClusterRole for cluster requests',
    ),
  );
}
