/** `poolwright clusters diff NAME`: what differs between a request and its live cluster. As with diff, 1 says that something does. */
import { exitCodes } from '../../terminal/exit-codes.ts';
import { type DocumentFormat, printDocument } from '../../terminal/output/document.ts';
import { table } from '../../terminal/output/table.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import { hanging, printable } from '../../terminal/text-table.ts';
import { withRequests } from './requests/open.ts';
import type { RequestDifferences, RequestsChoice } from './requests/requests.ts';
import { whichRequest } from './requests/which.ts';

export function diffCluster(
  name: string,
  options: RequestsChoice & { output: DocumentFormat },
  terminal: Terminal,
): Promise<number> {
  return withRequests(options, async (requests) => {
    const id = await whichRequest(requests, name, options);
    const found = await requests.diff(id);
    const what = `${id.namespace}/${id.name}`;
    await printDocument({ ...id, ...found }, () => diffText(what, found, terminal.columns()), options.output, terminal);
    return found.differences.length > 0 ? exitCodes.failed : exitCodes.done;
  });
}

type Differing = RequestDifferences['differences'][number];

export function diffText(
  what: string,
  { differences, notCompared }: RequestDifferences,
  columns: number | undefined,
): string {
  const rows = table<Differing>(
    [
      { title: 'OBJECT', text: ({ object }) => object },
      { title: 'FIELD', text: ({ field }) => field },
      { title: 'REQUEST', text: ({ wanted }) => wanted },
      { title: 'CLUSTER', text: ({ found }) => found },
    ],
    differences,
  );
  const narrow = columns !== undefined && rows.split('\n').some((line) => line.length > columns);
  const shown = narrow
    ? differences
        .flatMap((one) => tall(one, columns))
        .join('\n')
        .concat('\n')
    : rows;
  const skipped = notCompared.flatMap(({ object, why }) =>
    hanging(printable(`not compared: ${object}: ${why}`), 2, columns),
  );
  const none = notCompared.length > 0 ? 'Nothing that was compared differs' : 'Nothing differs';
  const first =
    differences.length === 0 ? `${none}: the cluster of ${printable(what)} is as the request says.\n` : shown;
  return `${first}${skipped.map((line) => `${line}\n`).join('')}`;
}

/** For a terminal on which the table would break: each difference in lines of its own. */
const tall = ({ object, field, wanted, found }: Differing, columns: number): string[] => [
  ...hanging(printable(`${object}  ${field}`), 2, columns),
  ...hanging(printable(`  request  ${wanted}`), 11, columns),
  ...hanging(printable(`  cluster  ${found}`), 11, columns),
];
