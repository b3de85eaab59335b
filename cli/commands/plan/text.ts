/** A plan for people: what would happen first, then what it costs, then what else could have been. */
import { perMonthText, priceText } from '../../terminal/output/values.ts';
import { printable, wrapped } from '../../terminal/text-table.ts';
import { dearer, isHopeless, offeringText, type Planned, problemTexts, rejectionsText } from './planned.ts';

const labelWidth = 15;
const narrowest = 60;
const usual = 110;

export interface TextOptions {
  columns: number | undefined;
  /** Every type that was not taken, with its reason. */
  details: boolean;
}

export function planText(plan: Planned, { columns = usual, details }: TextOptions): string {
  const width = Math.max(narrowest, columns) - labelWidth - 2;
  const lines = rowsOf(plan).flatMap(([label, text, whole]) => {
    const [first = '', ...rest] = whole ? [printable(text)] : wrapped(printable(text), width);
    return [`  ${label.padEnd(labelWidth)}${first}`, ...rest.map((line) => `${' '.repeat(labelWidth + 2)}${line}`)];
  });
  return [
    `${printable(plan.title)}  (${printable(plan.file)}:${plan.line})`,
    ...lines,
    ...(details ? all(plan) : []),
    '',
  ].join('\n');
}

/** `whole`: editors and people find the place by it, so it is not broken. */
type Row = [label: string, text: string, whole?: 'whole'];

function rowsOf(plan: Planned): Row[] {
  const { outcome, code, why = '', nearestChange, hints = [], retryAt } = plan;
  const named = code === undefined ? why : `${code}: ${why}`;
  const head: Row[] =
    outcome === 'invalid'
      ? problemTexts(plan).map((problem, index): Row => [index === 0 ? 'Invalid' : '', problem, 'whole'])
      : outcome === 'not-ours'
        ? [['Not served', why]]
        : outcome === 'impossible'
          ? [['Impossible', named]]
          : outcome === 'wait'
            ? [['Would wait', named]]
            : [];
  return [
    ...head,
    ...(retryAt === undefined ? [] : [['Retry at', retryAt] satisfies Row]),
    ...(nearestChange === undefined ? [] : [['Try this', nearestChange] satisfies Row]),
    ...(isHopeless(plan) ? [] : choiceRows(plan)),
    ...(plan.rejections.length === 0 || outcome === 'impossible'
      ? []
      : [['Ruled out', `${plan.rejections.length} types: ${rejectionsText(plan.rejections)}`] satisfies Row]),
    ...hints.map((hint): Row => ['Note', hint]),
  ];
}

function choiceRows(plan: Planned): Row[] {
  const { outcome, chosen, count, runnerUp, alternatives = 0, provider, quota = [], cap } = plan;
  if (chosen === undefined) return [];
  const many = count === undefined || count === 1 ? '' : `${count} × `;
  const others = alternatives === 0 ? '' : `, or one of ${alternatives} others that the cloud has`;
  const what = count === 0 ? 'nothing else' : `${many}${offeringText(chosen)}, from provider ${provider}${others}`;
  return [
    [outcome === 'launch' ? 'Would launch' : 'Then launch', what],
    ...(count === 0 ? [] : [['Price', pricesText(plan)] satisfies Row]),
    ...(runnerUp === undefined ? [] : [['Runner-up', `${offeringText(runnerUp)}: ${dearer(plan)}`] satisfies Row]),
    ...quota.map(({ name, used, limit, unit, after }): Row => {
      const numbers = after === undefined ? `${used} of ${limit} ${unit} now` : `${after} of ${limit} ${unit}`;
      return ['Quota after', `${name}: ${numbers}`];
    }),
    ...(cap === undefined
      ? []
      : [['Cap after', `${cap.after} of ${cap.limit} instances in the cluster`] satisfies Row]),
  ];
}

function pricesText({ count = 1, chosen, pricePerHour, pricePerMonth }: Planned): string {
  if (pricePerHour === undefined) return 'unknown';
  const each = count === 1 ? '' : ` (${priceText(chosen?.pricePerHour)} each)`;
  return `${priceText(pricePerHour)}, ${perMonthText(pricePerMonth)}${each}`;
}

function all({ rejections }: Planned): string[] {
  const width = rejections.reduce((most, { instanceType }) => Math.max(most, instanceType.length), 0);
  return rejections.map(
    ({ instanceType, reason }) => `    ${printable(instanceType).padEnd(width)}  ${printable(reason)}`,
  );
}
