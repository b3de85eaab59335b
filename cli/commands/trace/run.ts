/** `poolwright trace`: what took how long in the life of a claim, as a waterfall. */
import { duration } from '../../../shared/explain/diagnosis-words.ts';
import { parseTarget } from '../../reach/target.ts';
import { exitCodes } from '../../terminal/exit-codes.ts';
import { type DocumentFormat, printDocument } from '../../terminal/output/document.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import { hanging, printable } from '../../terminal/text-table.ts';
import { explainClaim } from '../explain/claim.ts';
import { openSources, type Sources, type Where } from '../explain/gather.ts';
import type { HostWorkflow } from '../explain/host-view.ts';
import { waterfall } from '../explain/waterfall.ts';
import { type TracedWorkflow, type TraceSpan, traceSpans } from './spans.ts';

export interface TraceOptions extends Where {
  uid?: string;
  output: DocumentFormat;
}

export async function trace(words: readonly string[], options: TraceOptions, terminal: Terminal): Promise<number> {
  const { name } = parseTarget(words, ['claim']);
  const sources = await openSources(options);
  try {
    const explained = await explainClaim(sources, options, name, options.uid);
    const { what, diagnosis, gathered } = explained;
    const workflows = await Promise.all((gathered.host?.workflows ?? []).map((one) => withHistory(sources, one)));
    const spans = traceSpans(gathered, workflows);
    const { missing } = gathered;
    const width = Math.max(60, terminal.columns() ?? 140);
    const document = { what, uid: gathered.uid, spans: spans.map(spanData), missing };
    const text = (): string =>
      `${[...hanging(printable(`${what}: ${diagnosis.state}`), 2, terminal.columns()), '', ...told(spans, width)].join('\n')}\n`;
    await printDocument(document, text, options.output, terminal);
    // The document has them.
    if (options.output === 'text') for (const one of missing) terminal.err(`${printable(one)}\n`);
    return exitCodes.done;
  } finally {
    sources.close();
  }
}

function told(spans: readonly TraceSpan[], width: number): string[] {
  const [first] = spans;
  if (first === undefined) return ['Nothing is known of what was done for it.'];
  const end = spans.reduce((most, { to }) => Math.max(most, to), first.to);
  return [
    `${new Date(first.from).toISOString().slice(0, 10)} (UTC), ${duration(end - first.from)} in all`,
    ...waterfall(spans, width),
  ];
}

/** An engine that keeps no history, or has tidied it away, leaves the decisions. */
async function withHistory({ host }: Sources, workflow: HostWorkflow): Promise<TracedWorkflow> {
  const shown = await host?.ask<TracedWorkflow>('GET', `/v1/workflows/${workflow.id}`).catch(() => undefined);
  return shown?.history === undefined ? workflow : { ...workflow, history: shown.history };
}

const spanData = ({ kind, name, from, to, note }: TraceSpan) => ({
  kind,
  name: name.replace(/^[*\s]+/, ''),
  from: new Date(from).toISOString(),
  to: new Date(to).toISOString(),
  ms: to - from,
  ...(note === undefined || note === '' ? {} : { note }),
});
