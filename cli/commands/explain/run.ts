/** `poolwright explain`: why something happened to a claim, a node, a pool, a node class or an event, or why nothing does. */
import { nodes } from '../../../shared/kube/contract.ts';
import { parseTarget } from '../../reach/target.ts';
import { exitCodes } from '../../terminal/exit-codes.ts';
import { type DocumentFormat, printDocument } from '../../terminal/output/document.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import { UserError } from '../../terminal/user-error.ts';
import { explainClaim, explainedData } from './claim.ts';
import { openSources, type Sources, type Where } from './gather.ts';
import type { ObjectTarget } from './object.ts';
import { renderClaim } from './render-claim.ts';

export interface ExplainOptions extends Where {
  uid?: string;
  details?: boolean;
  output: DocumentFormat;
}

export async function explain(words: readonly string[], options: ExplainOptions, terminal: Terminal): Promise<number> {
  const target = parseTarget(words, ['claim', 'node', 'pool', 'nodeclass', 'event']);
  const { kind, name } = target;
  const sources = await openSources(options);
  try {
    if (kind === 'event') {
      const { explainEvent } = await import('./event.ts');
      return await explainEvent(sources, options, name, terminal);
    }
    if (kind === 'pool' || kind === 'nodeclass')
      return await tellObject(sources, { ...target, kind }, options, terminal);
    const tell = (claim: string): Promise<number> => tellClaim(sources, claim, options, terminal);
    if (kind !== 'node') {
      try {
        return await tell(name);
      } catch (error) {
        const mayBeNode = options.uid === undefined && isBare(words) && isUnknownClaim(error);
        if (!mayBeNode || !(await isNode(sources, name))) throw error;
      }
    }
    const claim = await claimOfNode(sources, name, options, terminal);
    return claim === undefined ? exitCodes.done : await tell(claim);
  } finally {
    sources.close();
  }
}

const isBare = ([first = '', ...others]: readonly string[]): boolean => others.length === 0 && !first.includes('/');

const isUnknownClaim = (error: unknown): boolean => error instanceof UserError && error.code === 'UnknownClaim';

/** Who has the name of a node at hand need not say that it is one. */
const isNode = async ({ cluster }: Sources, name: string): Promise<boolean> =>
  cluster !== undefined && (await cluster.get(nodes, { name })).ok;

async function tellClaim(sources: Sources, name: string, options: ExplainOptions, terminal: Terminal): Promise<number> {
  const explained = await explainClaim(sources, options, name, options.uid);
  const columns = terminal.columns();
  const text = (): string => renderClaim(explained, options.details ?? false, Math.max(60, columns ?? 120), columns);
  await printDocument(explainedData(explained), text, options.output, terminal);
  return exitCodes.done;
}

async function tellObject(
  sources: Sources,
  target: ObjectTarget,
  options: ExplainOptions,
  terminal: Terminal,
): Promise<number> {
  const { explainObject } = await import('./object.ts');
  const { renderObject, whatOf } = await import('./render-object.ts');
  const explained = await explainObject(sources, options, target);
  const { answer, missing } = explained;
  const columns = terminal.columns();
  const text = (): string => renderObject(explained, options.details ?? false, Math.max(60, columns ?? 120), columns);
  await printDocument({ what: whatOf(answer), ...answer, missing }, text, options.output, terminal);
  return exitCodes.done;
}

/** Undefined: it is nobody's, and that was said. */
async function claimOfNode(
  { cluster, missing }: Sources,
  name: string,
  { output }: ExplainOptions,
  terminal: Terminal,
): Promise<string | undefined> {
  if (!cluster) throw new UserError(missing.join('\n'), { code: 'NoClusterAccess' });
  const { nobodysNode, ownerOf } = await import('./node.ts');
  const owner = await ownerOf(cluster, name);
  if (owner.found === 'namesake') {
    terminal.err(`The cluster has no Node ${name}; showing claim/${name} instead.\n`);
    return name;
  }
  if (owner.found === 'claim') {
    terminal.err(`node/${name} is the node of claim/${owner.claim}.\n`);
    return owner.claim;
  }
  const lines = (columns: number | undefined): string[] => nobodysNode(name, owner.node, columns);
  const data = { what: `node/${name}`, claim: null, text: lines(undefined) };
  await printDocument(data, () => `${lines(terminal.columns()).join('\n')}\n`, output, terminal);
  return undefined;
}
