/** `poolwright convert -f FILE`: the result on stdout, what changed on stderr. */
import { stringify } from 'yaml';
import { asObject } from '../../../shared/base/json.ts';
import { convertAll, isConvertible } from '../../../shared/clusters/convert/convert.ts';
import type { Note } from '../../../shared/clusters/convert/note.ts';
import { exitCodes } from '../../terminal/exit-codes.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import { printable } from '../../terminal/text-table.ts';
import { UserError } from '../../terminal/user-error.ts';
import { type Manifest, readManifests } from '../plan/manifests.ts';

export interface ConvertOptions {
  filename: string[];
  output: 'yaml' | 'json';
}

export async function convert(options: ConvertOptions, terminal: Terminal): Promise<number> {
  const manifests = await readManifests(options.filename);
  if (!manifests.some(({ object }) => isConvertible(object))) {
    const message = `There is no AKSNodeClass, NodePool or ManagedCluster in ${options.filename.join(', ')}.`;
    throw new UserError(message, { code: 'NothingToConvert' });
  }
  const converted = convertAll(manifests.map(({ object }) => object));
  const objects = converted.map(({ object }) => object);
  terminal.out(options.output === 'json' ? json(objects) : objects.map(yaml).join('---\n'));
  const all = converted.flatMap(({ notes }, index) => notes.map((note) => ({ note, manifest: manifests[index]! })));
  for (const { note, manifest } of all) terminal.err(`${printable(lineOf(note, manifest))}\n`);
  const count = (kind: Note['kind']): number => all.filter(({ note }) => note.kind === kind).length;
  const problems = count('problem');
  const done = `${count('changed')} changed, ${count('removed')} removed, ${problems} to fix by hand.`;
  terminal.err(all.length === 0 ? 'Nothing to change.\n' : `${done}\n`);
  return problems === 0 ? exitCodes.done : exitCodes.failed;
}

const yaml = (object: object): string => stringify(object, { lineWidth: 0, aliasDuplicateObjects: false });

/** As kubectl reads several objects in JSON. */
const json = (items: readonly object[]): string =>
  `${JSON.stringify(items.length === 1 ? items[0] : { apiVersion: 'v1', kind: 'List', items }, null, 2)}\n`;

function lineOf({ kind, field, text }: Note, { file, lineOf: find, object }: Manifest): string {
  const name = asObject(object.metadata)?.name;
  const what = `${String(object.kind)}/${typeof name === 'string' ? name : '?'}`;
  return `${file}:${find(field.split(',')[0] ?? field)}: ${kind.padEnd(7)}  ${what}: ${field}: ${text}`;
}
