/** Why a selector found nothing: perhaps no object has such a label, and a similar one was meant. */
import { didYouMean } from '../../../shared/base/nearest.ts';
import type { ClusterApi, KubeObject, Resource } from '../../../shared/kube/contract.ts';
import { labels } from '../../../shared/nodes/claims/spec/well-known.ts';

const sample = 500;

/** To be put behind what is said of an empty list; nothing where every label is known. */
export async function unknownLabels(api: ClusterApi, resource: Resource, selector: string): Promise<string> {
  const page = await api.list<KubeObject>(resource, { limit: sample });
  if (!page.ok || page.value.items.length === 0) return '';
  const used = new Set(page.value.items.flatMap(({ metadata }) => Object.keys(metadata.labels ?? {})));
  const unknown = keysIn(selector).filter((key) => !used.has(key));
  const known = [...used, ...Object.values(labels)];
  return unknown.map((key) => ` No ${resource.kind} has the label ${key}${didYouMean(key, known)}`).join('');
}

/** `a=b,c in (d,e),!f,g` → a, c, f, g. */
export const keysIn = (selector: string): string[] =>
  selector
    .replace(/\([^)]*\)/g, '')
    .split(',')
    .flatMap((part) => /^\s*!?\s*([^\s!=<>]+)/.exec(part)?.[1] ?? []);
