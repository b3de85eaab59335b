/** GitOps, from a live FluxConfiguration. */
import { isObject, type JsonObject } from '../../../base/json.ts';
import type { ClusterRequestSpec } from '../../request/schema.ts';
import type { AnyObject } from '../kro/graph.ts';
import { at, flagAt, numberAt, some, textAt, textsAt } from './fields.ts';

type GitOps = NonNullable<ClusterRequestSpec['gitOps']>;

export function gitOpsOf({ spec }: AnyObject): GitOps | undefined {
  const url = textAt(spec, 'gitRepository', 'url');
  if (url === undefined) return undefined;
  const ref = (name: string): string | undefined => textAt(spec, 'gitRepository', 'repositoryRef', name);
  const provider = textAt(spec, 'gitRepository', 'provider');
  const secret = textAt(spec, 'configurationProtectedSettings', 'name');
  const seconds = numberAt(spec, 'gitRepository', 'syncIntervalInSeconds');
  const named = at(spec, 'kustomizations');
  const kustomizations = Object.entries(isObject(named) ? named : {}).map(([name, one]) => {
    const given = isObject(one) ? one : {};
    return some({
      name,
      path: textAt(given, 'path'),
      dependsOn: textsAt(given, 'dependsOn'),
      // Absent is false there, and true here.
      prune: flagAt(given, 'prune') ?? false,
      wait: flagAt(given, 'wait') ?? false,
    } as JsonObject);
  });
  return some<GitOps>({
    url,
    branch: ref('branch'),
    tag: ref('tag'),
    semver: ref('semver'),
    commit: ref('commit'),
    provider: provider === 'Azure' ? 'Azure' : undefined,
    interval: seconds === undefined ? undefined : `${seconds}s`,
    secretRef: secret === undefined ? undefined : { name: secret },
    public: secret === undefined && provider !== 'Azure' ? true : undefined,
    kustomizations: kustomizations.length === 0 ? undefined : (kustomizations as unknown as GitOps['kustomizations']),
  });
}
