/**
 * Objects that arrive in a form of before. An API server drops the fields that its version of a kind lacks, without an error, so what
 * was written shows only in what kubectl notes about it.
 */
import { asObject, type Json } from '../../base/json.ts';
import type { Problem } from '../../base/problems.ts';

/** By group and resource: what an API server is to ask about. */
export const oldForms = [
  { group: 'karpenter.azure.com', resource: 'aksnodeclasses', version: 'v1alpha2' },
  { group: 'karpenter.sh', resource: 'nodepools', version: 'v1beta1' },
] as const;

export interface Arriving {
  group: string;
  resource: string;
  /** The version that its author wrote. */
  version: string;
  object: unknown;
}

/** Never in any version of the kind, and in manifests of many all the same. */
const neverThere = ['location', 'resourceGroup', 'subnetName', 'instanceTypes', 'osDisk', 'userData'];
const lastApplied = 'kubectl.kubernetes.io/last-applied-configuration';
/** What an API server keeps of an annotation at most. */
const longestNote = 256 * 1024;
const advice = 'rewrite the manifest: poolwright convert -f FILE';

export interface OldForm {
  problems: Problem[];
  warnings: string[];
}

/** Undefined for everything that has no form of before. */
export function oldFormOf({ group, resource, version, object }: Arriving): OldForm | undefined {
  const form = oldForms.find((one) => one.group === group && one.resource === resource);
  if (form === undefined) return undefined;
  const isOld = version === form.version;
  if (resource === 'nodepools') {
    if (!isOld) return undefined;
    const message = `${form.version} of NodePool has other fields than v1, such as the group of nodeClassRef; ${advice}`;
    return { problems: [{ path: 'apiVersion', message }], warnings: [] };
  }
  const dropped = neverThere.filter((field) => field in specFields(object));
  const problems = dropped.map((field) => ({
    path: `spec.${field}`,
    message: `AKSNodeClass has no such field, so the API server would drop it; ${advice}`,
  }));
  const deprecated = isOld ? [`${form.version} of AKSNodeClass is deprecated; ${advice}`] : [];
  return problems.length === 0 && deprecated.length === 0 ? undefined : { problems, warnings: deprecated };
}

/** As it was written, where kubectl has noted it; and as it arrives. */
function specFields(object: unknown): object {
  const { metadata, spec } = asObject(object as Json) ?? {};
  const note = asObject(asObject(metadata)?.annotations)?.[lastApplied];
  const written = typeof note === 'string' && note.length <= longestNote ? parsed(note) : undefined;
  return { ...asObject(asObject(written as Json)?.spec), ...asObject(spec) };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
