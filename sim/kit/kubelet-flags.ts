/** The labels and taints that a kubelet registers its Node with, read from its command line wherever that is written. */
import { type Taint, type TaintEffect, taintEffects } from '../../shared/nodes/claims/spec/types.ts';

export interface NodeRequest {
  labels: Record<string, string>;
  taints: Taint[];
}

/** `--name=value` or `--name value`; quotes of a shell, of YAML or of both may be around either. */
export function flag(text: string, name: string): string[] {
  const pattern = new RegExp(`--${name}[= ]\\\\?["']?([^\\s"'\\\\]+)`, 'g');
  return [...text.matchAll(pattern)].map(([, value = '']) => value);
}

export const labelsFrom = (text: string): Record<string, string> =>
  Object.fromEntries(
    text.split(',').map((pair) => {
      const [key = '', value = ''] = pair.split(/=(.*)/s);
      return [key, value];
    }),
  );

export const taintsFrom = (text: string): Taint[] => text.split(',').flatMap((one) => taintOf(one) ?? []);

function taintOf(text: string): Taint | undefined {
  const [, key, value, effect] = /^([^=:]+)(?:=([^:]*))?:(\w+)$/.exec(text) ?? [];
  if (key === undefined || !isEffect(effect)) return undefined;
  return { key, effect, ...(value === undefined || value === '' ? {} : { value }) };
}

export const isEffect = (text: unknown): text is TaintEffect => taintEffects.includes(text as TaintEffect);

/** Each once: what is said twice is meant once. */
export const uniqueTaints = (taints: readonly Taint[]): Taint[] => [
  ...new Map(taints.map((taint) => [`${taint.key}/${taint.effect}`, taint])).values(),
];
