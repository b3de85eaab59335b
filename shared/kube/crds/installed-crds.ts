/**
 * Looks at the definitions that a cluster has. Those of Karpenter, or of anybody else, are used as they are: nothing here
 * writes. What is missing or too old is named, with what to do about it.
 *
 * @example
 * const report = await checkCrds(api, { nodeClasses: kindsOf(cluster.providers) });
 * if (report.ok && report.value.problems.length > 0) stop(report.value.problems.join('\n'));
 */
import type { V1CustomResourceDefinitionStatus, V1CustomResourceDefinitionVersion } from '@kubernetes/client-node';
import { defined } from '../../base/defined.ts';
import { ok, type Result } from '../../base/result.ts';
import type { Loose } from '../../base/wire.ts';
import { type ClusterApi, customResourceDefinitions, type KubeObject, type Resource } from '../contract.ts';
import { crdName, versionAnnotation } from './crd-names.ts';
import { type NeededCrd, neededKinds, neededNodeClass } from './needed-crds.ts';

/** `unready`: the API server does not serve it, though it is there (its names are taken, say). */
export type CrdState = 'usable' | 'missing' | 'too-old' | 'unready';

export interface CrdFinding {
  /** Like `nodeclaims.karpenter.sh`. */
  name: string;
  state: CrdState;
  required: boolean;
  /** Who made the definition, as far as it says: `Poolwright 0.1.0`, `controller-gen v0.20.1`. */
  madeBy?: string;
  /** What is wrong, what that means, and what to do. Absent when it can be used. */
  problem?: string;
}

export interface CrdReport {
  findings: readonly CrdFinding[];
  /** What keeps us from serving this cluster. */
  problems: readonly string[];
  /** What does not work there, while the rest does. */
  warnings: readonly string[];
}

export interface CheckOptions {
  /** The node classes of the providers that serve this cluster; those that need not be there are not asked for. */
  nodeClasses?: readonly (Omit<Resource, 'namespaced'> & { optional?: boolean })[];
  signal?: AbortSignal;
}

/** By hand: the client of Kubernetes renames the field that we look for. */
type Schema = {
  properties?: Record<string, Schema>;
  'x-kubernetes-preserve-unknown-fields'?: boolean;
};
type CrdVersion = Omit<Loose<V1CustomResourceDefinitionVersion>, 'schema'> & { schema?: { openAPIV3Schema?: Schema } };
type StoredCrd = KubeObject & {
  spec?: { versions?: CrdVersion[] };
  status?: Pick<Loose<V1CustomResourceDefinitionStatus>, 'conditions'>;
};

const howToInstall = 'install it with `poolwright crds install` or `kubectl apply -f infra/kubernetes/crds`';

export async function checkCrds(api: ClusterApi, options: CheckOptions = {}): Promise<Result<CrdReport>> {
  const needed = [
    ...neededKinds,
    ...(options.nodeClasses ?? []).filter(({ optional }) => !optional).map(neededNodeClass),
  ];
  const findings: CrdFinding[] = [];
  for (const one of needed) {
    const name = crdName(one.resource);
    const read = await api.get<StoredCrd>(customResourceDefinitions, { name }, options.signal);
    if (read.ok) findings.push(judgeCrd(one, read.value));
    else if (read.error.kind === 'not-found') findings.push(missing(one, name));
    else {
      const message = `cluster ${api.name}: can't read the definition ${name}: ${read.error.message}`;
      return { ok: false, error: { ...read.error, message } };
    }
  }
  const texts = (required: boolean): string[] =>
    findings.flatMap((one) =>
      one.required === required && one.problem !== undefined ? [`cluster ${api.name}: ${one.problem}`] : [],
    );
  return ok({ findings, problems: texts(true), warnings: texts(false) });
}

const missing = ({ required, purpose }: NeededCrd, name: string): CrdFinding => ({
  name,
  state: 'missing',
  required,
  problem: `${name} is not installed, so ${purpose} cannot be used: ${howToInstall}`,
});

/** Pure: what a definition is good for. */
export function judgeCrd(needed: NeededCrd, crd: StoredCrd): CrdFinding {
  const { resource, required } = needed;
  const name = crdName(resource);
  const madeBy = makerOf(crd);
  const finding = (state: CrdState, problem?: string): CrdFinding => ({
    name,
    state,
    required,
    ...defined({ madeBy, problem }),
  });
  const old = (why: string): CrdFinding => {
    const maker = madeBy === undefined ? '' : ` (made by ${madeBy})`;
    const then = required ? 'claims there cannot be served' : `${needed.purpose} do not work there`;
    return finding('too-old', `${name}${maker} is too old: ${why}; until then ${then}`);
  };
  const update = needed.sinceKarpenter
    ? `update it with the tool that installed it, to Karpenter ${needed.sinceKarpenter} or later`
    : 'update it with the tool that installed it';

  const versions = listOf(crd.spec?.versions);
  const version = versions.find((one) => one.name === resource.version && one.served === true);
  if (version === undefined) {
    const served = versions.flatMap((one) => (one.served === true && one.name !== undefined ? [one.name] : []));
    return old(`it serves ${served.join(', ') || 'nothing'}, not ${resource.version}: ${update}`);
  }
  const stored = versions.find((one) => one.storage === true)?.name;
  if (needed.fields.length > 0 && stored !== resource.version) {
    return old(
      `it stores ${stored ?? 'no version'}, not ${resource.version}, and may lose fields in the conversion: ${update}`,
    );
  }
  const lacking = [
    ...needed.fields.filter((field) => !hasField(version.schema?.openAPIV3Schema, field.split('.'))),
    ...needed.subresources
      .filter((one) => version.subresources?.[one] === undefined)
      .map((one) => `the subresource ${one}`),
  ];
  if (lacking.length > 0) return old(`it lacks ${lacking.join(', ')}: ${update}`);

  const refusal = listOf(crd.status?.conditions).find(
    (one) => (one.type === 'NamesAccepted' || one.type === 'Established') && one.status === 'False',
  );
  if (refusal !== undefined) {
    const why = refusal.message ?? `${refusal.type} is False`;
    return finding('unready', `${name} is installed but not served: ${why}. See kubectl describe crd ${name}`);
  }
  return finding('usable');
}

/** Below a field that keeps what it does not know, everything is there. */
function hasField(schema: Schema | undefined, [first, ...rest]: readonly string[]): boolean {
  if (schema?.['x-kubernetes-preserve-unknown-fields'] === true || first === undefined) return schema !== undefined;
  return hasField(schema?.properties?.[first], rest);
}

function makerOf(crd: StoredCrd): string | undefined {
  const { annotations = {}, labels = {} } = crd.metadata;
  const ours = annotations[versionAnnotation];
  const generator = annotations['controller-gen.kubebuilder.io/version'];
  // Ours carry no such mark: another tool has applied its definition over ours, and our annotation was left behind.
  if (ours !== undefined && generator !== undefined)
    return `controller-gen ${generator}, applied over Poolwright ${ours}`;
  if (ours !== undefined) return `Poolwright ${ours}`;
  const release =
    labels['helm.sh/chart'] ?? labels['app.kubernetes.io/version'] ?? annotations['app.kubernetes.io/version'];
  if (release !== undefined) return release;
  return generator === undefined ? undefined : `controller-gen ${generator}`;
}

/** A definition is anybody's: what is no list is an empty one. */
const listOf = <T>(value: T[] | undefined): T[] => (Array.isArray(value) ? value : []);
