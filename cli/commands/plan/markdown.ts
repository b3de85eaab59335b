/** A plan as a table for a pull request. */
import { perMonthText, priceText } from '../../terminal/output/values.ts';
import { printable } from '../../terminal/text-table.ts';
import { dearer, offeringText, type Planned, problemTexts } from './planned.ts';
import { type Total, totalText } from './total.ts';

const outcomes = {
  launch: 'would launch',
  wait: 'would wait',
  impossible: '**impossible**',
  'not-ours': '**not served**',
  invalid: '**invalid**',
} as const;

export function planMarkdown(plans: readonly Planned[], total: Total): string {
  const rows = plans.map((plan) => {
    const { title, outcome, chosen, count, runnerUp, pricePerHour, pricePerMonth } = plan;
    const many = count === undefined || count === 1 ? '' : `${count} × `;
    return [
      title,
      outcomes[outcome],
      chosen === undefined ? '' : `${many}${offeringText(chosen)}`,
      chosen === undefined ? '' : priceText(pricePerHour),
      chosen === undefined ? '' : perMonthText(pricePerMonth),
      runnerUp === undefined ? '' : `${offeringText(runnerUp)}: ${dearer(plan)}`,
      notesOf(plan),
    ];
  });
  const titles = ['Object', 'Outcome', 'Machine', 'Price', 'Per month', 'Runner-up', 'Notes'];
  const line = (cells: readonly string[]): string => `| ${cells.map(cell).join(' | ')} |`;
  return [
    line(titles),
    `|${titles.map(() => '---').join('|')}|`,
    ...rows.map(line),
    '',
    `Total: ${totalText(total)}. Nothing was created.`,
    '',
  ].join('\n');
}

/** Nothing from outside may end a cell, or begin an element of HTML. */
const cell = (text: string): string => printable(text).replaceAll('|', '\\|').replaceAll('<', '&lt;');

function notesOf(plan: Planned): string {
  const { outcome, why, nearestChange, hints = [] } = plan;
  const first = outcome === 'invalid' ? problemTexts(plan) : outcome === 'launch' || why === undefined ? [] : [why];
  return [...first, ...(nearestChange === undefined ? [] : [`try: ${nearestChange}`]), ...hints].join('; ');
}
