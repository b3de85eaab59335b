/** `poolwright trace`: what took how long in the life of a claim, as a waterfall. */
import { defined } from '../../../shared/base/defined.ts';
import type { AnsweredSpan } from '../../../shared/explain/answer.ts';
import { duration } from '../../../shared/explain/diagnosis-words.ts';
import { parseTarget } from '../../reach/target.ts';
import { exitCodes } from '../../terminal/exit-codes.ts';
import { type DocumentFormat, printDocument } from '../../terminal/output/document.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import { hanging, printable } from '../../terminal/text-table.ts';
import { gather, openSources, type Where } from '../explain/gather.ts';
import { type Span, waterfall } from '../explain/waterfall.ts';

export interface TraceOptions extends Where {
  uid?: string;
  output: DocumentFormat;
}

export async function trace(words: readonly string[], options: TraceOptions, terminal: Terminal): Promise<number> {
  const { name } = parseTarget(words, ['claim']);
  const sources = await openSources(options);
  try {
    const { answer, missing } = await gather(sources, options, name, { uid: options.uid, trace: true });
    const what = `claim/${name} in cluster ${answer.cluster}`;
    const spans = answer.spans ?? [];
    const width = Math.max(60, terminal.columns() ?? 140);
    const document = { what, uid: answer.uid, spans: spans.map(spanData), missing };
    const head = hanging(printable(`${what}: ${answer.diagnosis.state}`), 2, terminal.columns());
    const text = (): string => `${[...head, '', ...traceLines(spans.map(drawn), width)].join('\n')}\n`;
    await printDocument(document, text, options.output, terminal);
    // The document has them.
    if (options.output === 'text') for (const one of missing) terminal.err(`${printable(one)}\n`);
    return exitCodes.done;
  } finally {
    sources.close();
  }
}

function traceLines(spans: readonly Span[], width: number): string[] {
  const [first] = spans;
  if (first === undefined) return ['No recorded steps for this claim.'];
  const end = spans.reduce((most, { to }) => Math.max(most, to), first.to);
  return [
    `${new Date(first.from).toISOString().slice(0, 10)} (UTC), ${duration(end - first.from)} in all`,
    ...waterfall(spans, width),
  ];
}

/** Moments are marked, and calls are within the step that made them. */
const marks: { [kind: string]: string } = { stage: '* ', call: '  ' };

const drawn = ({ kind, name, from, to, note }: AnsweredSpan): Span => ({
  name: `${marks[kind] ?? ''}${name}`,
  from: Date.parse(from),
  to: Date.parse(to),
  ...defined({ note }),
});

const spanData = ({ kind, name, from, to, note }: AnsweredSpan) => ({
  kind,
  name,
  from,
  to,
  ms: Date.parse(to) - Date.parse(from),
  ...defined({ note }),
});
