/** What the host says of one manifest, and where the manifest stands. */
import type { PlanAnswer } from '../../../shared/nodes/plan/answer.ts';
import { priceText } from '../../terminal/output/values.ts';
import type { Manifest } from './manifests.ts';

/** As HTTP has it: times are texts. */
export type HostPlan = Omit<PlanAnswer, 'retryAt'> & { retryAt?: string };

export interface Planned extends Omit<HostPlan, 'problems'> {
  file: string;
  line: number;
  /** `NodeClaim one`. */
  title: string;
  /** In the order of their lines. */
  problems: { path: string; message: string; line: number }[];
}

export function plannedOf({ file, line, object, lineOf }: Manifest, { problems = [], ...answer }: HostPlan): Planned {
  const located = problems.map(({ path, message }) => ({ path, message, line: lineOf(path) }));
  return { ...answer, file, line, title: titleOf(object), problems: located.sort((a, b) => a.line - b.line) };
}

/** `file.yaml:12: spec.replicas: what is wrong`. */
export const problemTexts = ({ file, problems }: Pick<Planned, 'file' | 'problems'>): string[] =>
  problems.map(({ path, message, line }) => `${file}:${line}: ${path === '' ? '' : `${path}: `}${message}`);

export function titleOf({ kind, metadata }: Manifest['object']): string {
  const { name, generateName } = (typeof metadata === 'object' && metadata !== null ? metadata : {}) as {
    [field: string]: unknown;
  };
  const called = typeof name === 'string' ? name : typeof generateName === 'string' ? `${generateName}…` : '';
  return `${typeof kind === 'string' ? kind : 'an object without a kind'} ${called}`.trimEnd();
}

/** Neither now nor later as it stands. */
export const isHopeless = ({ outcome }: Pick<HostPlan, 'outcome'>): boolean =>
  outcome !== 'launch' && outcome !== 'wait';

/** `general-small in zone-a, on-demand`. */
export const offeringText = ({ instanceType, zone, capacityType }: NonNullable<HostPlan['chosen']>): string =>
  `${instanceType}${zone === '' ? '' : ` in ${zone}`}, ${capacityType}`;

/** What the next best costs more, as people say it. */
export function dearer({ chosen, runnerUp }: Pick<HostPlan, 'chosen' | 'runnerUp'>): string {
  const [first, second] = [chosen?.pricePerHour, runnerUp?.pricePerHour];
  if (second === undefined) return 'price unknown';
  const price = priceText(second);
  if (first === undefined || first === second) return first === second ? `${price}, the same price` : price;
  if (first === 0) return price;
  const percent = Math.round((Math.abs(second - first) / first) * 100);
  return `${price}, ${percent} % ${second > first ? 'more expensive' : 'cheaper'}`;
}

const shownReasons = 4;

const causes: Readonly<Record<string, string>> = {
  'sold-out': 'out of capacity',
  'min-values': 'by minValues',
  price: 'by the price ceiling',
};

/** Why the others were not taken, by cause: `20 by node.kubernetes.io/instance-type, 2 sold out`. */
export function rejectionsText(rejections: HostPlan['rejections']): string {
  const counts = new Map<string, number>();
  for (const { kind, requirement } of rejections) {
    const cause = causes[kind] ?? `by ${requirement ?? kind}`;
    counts.set(cause, (counts.get(cause) ?? 0) + 1);
  }
  const sorted = [...counts].sort(([, a], [, b]) => b - a).map(([cause, count]) => `${count} ${cause}`);
  const rest = sorted.length - shownReasons;
  return `${sorted.slice(0, shownReasons).join(', ')}${rest > 0 ? ` and ${rest} more reasons` : ''}`;
}
