/** `poolwright get`: which kinds there are, and where each of them is read. A kind's code is loaded when somebody asks for it. */

import { defined } from '../../../shared/base/defined.ts';
import { claimName, kindNamed, nodeClassKindIn, nodeClassNamed, type TargetKind } from '../../reach/target.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import { UserError } from '../../terminal/user-error.ts';
import type { GetOptions, Getting, LoadListing, UnknownRow } from './getting.ts';

type Get = (getting: Getting) => Promise<number>;

/** A kind that the host knows, as a list, and the code for a name that is not in it. */
const fromHost =
  <Row>(unknown: UnknownRow, load: () => Promise<LoadListing<Row>>): Get =>
  async (getting) =>
    (await import('./show-listing.ts')).showListing(getting, await load(), unknown);

const kinds = {
  claim: async (getting) => (await import('./claims.ts')).getClaims(getting),
  node: async (getting) => (await import('./nodes.ts')).getNodes(getting),
  pool: async (getting) => (await import('./pools.ts')).getPools(getting),
  nodeclass: async (getting) => (await import('./node-classes.ts')).getNodeClasses(getting),
  vm: async (getting) => (await import('./machines.ts')).getVms(getting),
  vmprovider: async (getting) => (await import('./machines.ts')).getVmProviders(getting),
  offering: fromHost('UnknownOffering', async () => (await import('./offerings.ts')).offerings),
  provider: fromHost('UnknownProvider', async () => (await import('./providers.ts')).providers),
  workflow: fromHost('UnknownWorkflow', async () => (await import('./workflows.ts')).workflows()),
  deadletter: fromHost('UnknownDeadLetter', async () => (await import('./dead-letters.ts')).deadLetters),
} satisfies Partial<Record<TargetKind, Get>>;

export async function get(words: readonly string[], options: GetOptions, terminal: Terminal): Promise<number> {
  const { kind, names, of } = asked(words);
  // Who asks for the workflows of a claim has its name at hand, and nobody their ids.
  return kinds[kind]({
    options,
    names: kind === 'workflow' ? names.map(claimName) : names,
    terminal,
    ...defined({ of }),
  });
}

/** `claims a b`, or `claim/a claim/b`. */
function asked(words: readonly string[]): { kind: keyof typeof kinds; names: string[]; of?: string } {
  const allowed = Object.keys(kinds) as (keyof typeof kinds)[];
  const [first = '', ...rest] = words;
  if (!first.includes('/')) {
    const kind = kindNamed(first, allowed);
    return { kind, names: rest, ...(kind === 'nodeclass' ? defined({ of: nodeClassKindIn(first) }) : {}) };
  }
  const targets = words.map((word) => {
    const slash = word.indexOf('/');
    const said = word.slice(0, Math.max(0, slash));
    const kind = kindNamed(said, allowed);
    const name = word.slice(slash + 1);
    if (kind !== 'nodeclass') return { kind, name };
    const { of, name: bare } = nodeClassNamed(said, name);
    return { kind, name: of === undefined ? bare : `${of}/${bare}` };
  });
  const [{ kind } = { kind: allowed[0] ?? 'claim' }] = targets;
  if (targets.some((one) => one.kind !== kind)) {
    throw new UserError('Pass one kind at a time.', { code: 'UnknownKind', exitCode: 2 });
  }
  return { kind, names: targets.map(({ name }) => name) };
}
