/** `poolwright clusters confirm`: the cluster behind a name is another one than before, and that is right. */
import { type HostAddress, withHostApi } from '../../reach/host-api.ts';
import { type Consent, confirmed } from '../../terminal/confirm.ts';
import { exitCodes } from '../../terminal/exit-codes.ts';
import { type DocumentFormat, printDocument } from '../../terminal/output/document.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import { printable } from '../../terminal/text-table.ts';

export interface ConfirmOptions extends HostAddress, Consent {
  output: DocumentFormat;
}

export async function confirm(name: string, options: ConfirmOptions, terminal: Terminal): Promise<number> {
  const shown = printable(name);
  const change = `Serve whatever cluster answers as ${shown} now: its garbage collection may delete instances with the uid that it reports`;
  if (!(await confirmed(terminal, change, options))) return exitCodes.done;
  return withHostApi(options, async (api) => {
    const path = `/v1/clusters/${encodeURIComponent(name)}/confirm`;
    const answer = await api.ask<{ uid: string }>('POST', path);
    const text = `Cluster ${shown} is confirmed; the uid of its kube-system namespace is ${printable(answer.uid)}.\n`;
    await printDocument(answer, () => text, options.output, terminal);
    return exitCodes.done;
  });
}
