/** The wizard: what nobody has said yet, asked with the best guess filled in. */
import type { ProviderManifest } from '../../../shared/providers/manifest.ts';
import { manifests } from '../../../shared/providers/manifests.ts';
import type { Asker } from './asker.ts';
import type { Context } from './detect.ts';
import type { Known } from './known.ts';
import { neededValues, objectNameProblem, type Plan } from './plan.ts';

export async function askContext(asker: Asker, contexts: readonly Context[]): Promise<Context | undefined> {
  if (contexts.length === 0) return undefined;
  const none = '';
  const current = contexts.find(({ isCurrent }) => isCurrent);
  const answer = await asker.choose(
    'Which cluster should get nodes?',
    [
      ...contexts.map(({ name, server }) => ({ value: name, label: name, hint: server })),
      { value: none, label: 'a simulated one, to try it out' },
    ],
    current?.name ?? none,
  );
  return contexts.find(({ name }) => name === answer);
}

export async function askRest(asker: Asker, known: Known): Promise<Pick<Plan, 'provider' | 'values' | 'wish'>> {
  const offered = (manifests as readonly ProviderManifest[]).filter(
    ({ simulated }) => (simulated === true) !== known.hasCluster,
  );
  const options = offered.map(({ type, title }) => ({ value: type, label: title }));
  const guess = options.find(({ value }) => value === known.provider)?.value ?? options[0]?.value ?? '';
  const provider =
    known.isProviderGiven && known.provider !== undefined
      ? known.provider
      : options.length === 1
        ? guess
        : await asker.choose('Which provider creates the nodes?', options, guess);
  const values: Record<string, string> = {};
  for (const { field, ask } of neededValues(provider)) {
    const given = known.given[field];
    values[field] =
      given ?? (await asker.text(ask, known.values[field], (text) => (text.trim() === '' ? 'Required.' : undefined)));
  }
  Object.assign(values, known.given);
  if (known.wish !== undefined) return { provider, values, wish: known.wish };
  const kind = await asker.choose(
    'What should be created in addition to the configuration?',
    [
      { value: 'claim', label: 'a NodeClaim: one node' },
      { value: 'pool', label: 'a NodePool: a fixed number of nodes' },
    ],
    'claim',
  );
  const name = await asker.text('Its name', kind === 'claim' ? 'first' : 'workers', objectNameProblem);
  return { provider, values, wish: { kind, name, replicas: 1 } };
}
