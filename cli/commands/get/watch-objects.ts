/** `get -w`: a row for everything that is there, and then one for each change that can be seen in a row. */
import type { ClusterApi, KubeObject } from '../../../shared/kube/contract.ts';
import { follow } from '../../reach/follow.ts';
import { exitCodes } from '../../terminal/exit-codes.ts';
import { rowPrinter } from '../../terminal/output/row-printer.ts';
import type { Getting } from './getting.ts';
import type { ObjectKind } from './objects.ts';

export async function watchObjects<T extends KubeObject, Row>(
  api: ClusterApi,
  { options, names, terminal }: Getting,
  kind: ObjectKind<T, Row>,
): Promise<number> {
  const [only, ...others] = names;
  const printer = rowPrinter(kind, options.output, terminal);
  /** The last row of each object, and how it looked: an object changes more often than what is shown of it. */
  const known = new Map<string, { row: Row; text: string }>();
  let first: Row[] | undefined = [];
  /** What rows lack has to be asked for, and they must still come in their order. */
  let printed = Promise.resolve();
  const later = (rows: Row[], print: () => void): void => {
    printed = printed.then(async () => {
      await kind.complete?.(api, rows);
      if (!terminal.signal.aborted) print();
    });
  };
  const show = (row: Row): void => {
    if (first === undefined) later([row], () => printer.print(row));
    else first.push(row);
  };
  await follow<T>(api, {
    resource: kind.resource,
    labelSelector: options.selector,
    ...(only !== undefined && others.length === 0 ? { fieldSelector: `metadata.name=${only}` } : {}),
    onChange: (change) => {
      const name = change.type === 'deleted' ? change.name : change.object.metadata.name;
      if (names.length > 0 && !names.includes(name)) return;
      if (change.type === 'deleted') {
        const last = change.object === undefined ? known.get(name)?.row : kind.row(change.object);
        known.delete(name);
        if (last !== undefined && kind.wanted?.(last) !== false) show(kind.gone(last));
        return;
      }
      const row = kind.row(change.object);
      if (kind.wanted?.(row) === false) return;
      const text = JSON.stringify(kind.data(row));
      if (known.get(name)?.text === text) return;
      known.set(name, { row, text });
      show(row);
    },
    onSynced: () => {
      const rows = first ?? [];
      first = undefined;
      later(rows, () => printer.start(rows));
    },
    onTrouble: (text) => terminal.err(`The watch was interrupted: ${text}. Retrying.\n`),
    signal: terminal.signal,
  });
  await printed;
  return exitCodes.interrupted;
}
