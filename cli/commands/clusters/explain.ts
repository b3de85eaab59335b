/** `poolwright clusters explain NAME`: state, cause and fix in three lines; then the stages. */
import { systemClock } from '../../../shared/base/runtime.ts';
import { exitCodes } from '../../terminal/exit-codes.ts';
import { type DocumentFormat, printDocument } from '../../terminal/output/document.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import { hanging, printable } from '../../terminal/text-table.ts';
import { requestLines } from './get/stages.ts';
import { withRequests } from './requests/open.ts';
import type { RequestsChoice } from './requests/requests.ts';
import { whichRequest } from './requests/which.ts';

/** `cause  ` and `fix    `: what follows stands under the text. */
const labelWidth = 7;

export function explainCluster(
  name: string,
  options: RequestsChoice & { output: DocumentFormat },
  terminal: Terminal,
): Promise<number> {
  return withRequests(options, async (requests) => {
    const id = await whichRequest(requests, name, options);
    const explained = await requests.explain(id);
    const read = await requests.read(id);
    const columns = terminal.columns();
    const text = (): string => {
      const lines = explained.lines.map(printable).flatMap((line) => hanging(line, labelWidth, columns));
      const [, ...stages] = requestLines(read, systemClock.now(), columns);
      const { code } = explained.diagnosis;
      const more = code === undefined ? [] : [`More: poolwright errors ${code}`];
      return `${[...lines, ...(stages.length > 0 ? ['', ...stages] : []), ...more].join('\n')}\n`;
    };
    await printDocument(explained, text, options.output, terminal);
    return exitCodes.done;
  });
}
