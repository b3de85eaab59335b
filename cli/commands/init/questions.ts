/** The wizard: what nobody has said yet, asked with the best guess filled in. */
import type { Asker } from './asker.ts';
import type { Known } from './known.ts';
import { neededValues, objectNameProblem, type Plan, type ProviderType } from './plan.ts';
import type { Context } from './surroundings.ts';

const labels: Readonly<Record<ProviderType, string>> = {
  sim: 'the simulated cloud: offline, nothing is bought',
  aks: 'AKS: agent pools of one node',
  arc: 'Azure Local, connected by Arc',
  ec2: 'EC2: instances that join EKS',
};

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
  const types = known.hasCluster ? (['aks', 'arc', 'ec2'] as const) : (['sim'] as const);
  const options = types.map((value) => ({ value, label: labels[value] }));
  const guess = types.find((type) => type === known.provider) ?? types[0];
  const provider: ProviderType =
    known.isProviderGiven && known.provider !== undefined
      ? known.provider
      : options.length === 1
        ? guess
        : await asker.choose<ProviderType>('Who makes the nodes?', options, guess);
  const values: Record<string, string> = {};
  for (const { field, what } of neededValues[provider]) {
    const given = known.given[field];
    values[field] =
      given ??
      (await asker.text(what, known.values[field], (text) => (text.trim() === '' ? 'It is needed.' : undefined)));
  }
  if (known.wish !== undefined) return { provider, values, wish: known.wish };
  const kind = await asker.choose(
    'What should be written beside the configuration?',
    [
      { value: 'claim', label: 'a NodeClaim: one node' },
      { value: 'pool', label: 'a NodePool: nodes that are always there' },
    ],
    'claim',
  );
  const name = await asker.text('Its name', kind === 'claim' ? 'first' : 'workers', objectNameProblem);
  return { provider, values, wish: { kind, name, replicas: 1 } };
}
