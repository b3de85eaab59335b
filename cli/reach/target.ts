/** What a command is about, as kubectl has people write it: `claim/web-1`, `nodes/ip-10-0-0-1`, or a bare name. */
import { defined } from '../../shared/base/defined.ts';
import { didYouMean } from '../../shared/base/nearest.ts';
import { kindsNamed, namesOf } from '../../shared/providers/kinds-named.ts';
import { manifests } from '../../shared/providers/manifests.ts';
import { kindsOf } from '../../shared/providers/serving.ts';
import { exitCodes } from '../terminal/exit-codes.ts';
import { UserError } from '../terminal/user-error.ts';

/** What stands for node classes of every kind. */
const anyNodeClass: readonly string[] = ['nodeclass', 'nodeclasses'];

/** Each kind by all the names that people may know it by; the first one is ours. */
const kinds = {
  claim: ['claim', 'claims', 'nodeclaim', 'nodeclaims', 'nodeclaim.karpenter.sh', 'nodeclaims.karpenter.sh'],
  node: ['node', 'nodes', 'no'],
  pool: ['pool', 'pools', 'nodepool', 'nodepools', 'nodepool.karpenter.sh', 'nodepools.karpenter.sh'],
  nodeclass: [...anyNodeClass, ...kindsOf(manifests).flatMap(namesOf)],
  // A provider alone is one of ours, which makes nodes.
  vm: ['vm', 'vms', 'virtualmachine', 'virtualmachines', 'virtualmachine.infra.virtrigaud.io'],
  vmprovider: ['vmprovider', 'vmproviders', 'provider.infra.virtrigaud.io', 'providers.infra.virtrigaud.io'],
  event: ['event', 'events'],
  offering: ['offering', 'offerings'],
  provider: ['provider', 'providers'],
  cluster: ['cluster', 'clusters'],
  workflow: ['workflow', 'workflows', 'wf'],
  deadletter: ['deadletter', 'deadletters', 'dead-letter', 'dead-letters', 'dl'],
} as const satisfies Record<string, readonly string[]>;

export type TargetKind = keyof typeof kinds;

export interface Target<Kind extends TargetKind = TargetKind> {
  kind: Kind;
  name: string;
  /** Of a node class, where it was said: `EC2NodeClass`. */
  of?: string;
}

/** `ec2nodeclasses` names one kind of node class, `EC2NodeClass`; `nodeclasses` names all of them. */
export function nodeClassKindIn(word: string): string | undefined {
  if (anyNodeClass.includes(word.toLowerCase())) return undefined;
  return kindsNamed(kindsOf(manifests), word)[0]?.kind ?? word;
}

/** The kind that goes by this name here; a misspelled one is told what is near. */
export function kindNamed<Kind extends TargetKind>(text: string, allowed: readonly Kind[]): Kind {
  const known = allowed.find((kind) => (kinds[kind] as readonly string[]).includes(text.toLowerCase()));
  if (known !== undefined) return known;
  const names = allowed.flatMap((kind) => kinds[kind] as readonly string[]);
  throw new UserError(
    `Unknown kind ${JSON.stringify(text)}; it must be one of ${allowed.map((kind) => kinds[kind][0]).join(', ')}${didYouMean(text, names)}`,
    { code: 'UnknownKind', exitCode: exitCodes.misused },
  );
}

/** The name of a claim, however its kind is written before it; all else as it is. */
export function claimName(word: string): string {
  const slash = word.indexOf('/');
  const isClaim = slash > 0 && (kinds.claim as readonly string[]).includes(word.slice(0, slash).toLowerCase());
  return isClaim ? word.slice(slash + 1) : word;
}

/** `kind/name`, `kind name` as two words, or a bare name, which is of the first allowed kind. */
export function parseTarget<Kind extends TargetKind>(words: readonly string[], allowed: readonly Kind[]): Target<Kind> {
  const [first = '', second] = words;
  const slash = first.indexOf('/');
  const kind = slash >= 0 ? first.slice(0, slash) : second === undefined ? undefined : first;
  const name = slash >= 0 ? first.slice(slash + 1) : (second ?? first);
  const [usual] = allowed;
  if (name === '' || usual === undefined || (slash >= 0 && second !== undefined)) {
    throw new UserError(`Pass the target as ${allowed.map((one) => `${one}/<name>`).join(' or ')}.`, {
      code: 'UnknownKind',
      exitCode: exitCodes.misused,
    });
  }
  if (kind === undefined) return { kind: usual, name };
  const target: Target<Kind> = { kind: kindNamed(kind, allowed), name };
  return target.kind === 'nodeclass' ? { ...target, ...nodeClassNamed(kind, name) } : target;
}

/** `nodeclass/EC2NodeClass/default`, `ec2nodeclass/default` or `nodeclass/default`. */
export function nodeClassNamed(word: string, name: string): { name: string; of?: string } {
  const [of, rest] = name.split('/', 2);
  if (rest !== undefined && of !== undefined) return { name: rest, ...defined({ of: nodeClassKindIn(of) }) };
  return { name, ...defined({ of: nodeClassKindIn(word) }) };
}

/** As people write them: `claims` where several may be meant, `claim` for one. */
export const kindWords = (of: readonly TargetKind[], number: 'singular' | 'plural'): string[] =>
  of.flatMap((kind) => kinds[kind][number === 'plural' ? 1 : 0] ?? []);
