/** Writes the table of docs/providers/README.md from what the providers say of themselves. Run it after a change there; a test fails meanwhile. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock, systemRandom } from '../../shared/base/runtime.ts';
import { noClusterSettings } from '../../shared/kube/cluster-settings.ts';
import { silentLog } from '../../shared/observe/log/log.ts';
import type { Provider } from '../../shared/providers/contract.ts';
import type { ProviderManifest } from '../../shared/providers/manifest.ts';
import { manifests } from '../../shared/providers/manifests.ts';
import { openSqliteState, openStateDatabase } from '../../shared/state/sqlite/state.ts';

export const providersPage = join(import.meta.dirname, '../../docs/providers/README.md');

type Facts = Pick<Provider, 'name' | 'traits' | 'nodeClasses'>;

/** As they are without any further option. */
export async function providerFacts(): Promise<Facts[]> {
  const context = {
    cluster: 'c',
    clock: systemClock,
    random: systemRandom,
    log: silentLog,
    state: openSqliteState({ ...openStateDatabase({ file: ':memory:' }), clock: systemClock }),
    nodes: { list: async () => ({ ok: true as const, value: [] }) },
    secrets: { read: async () => ({ ok: true as const, value: {} }) },
    settings: noClusterSettings,
    env: {},
  };
  return Promise.all(
    (manifests as readonly ProviderManifest[])
      .toSorted((one, other) => one.type.localeCompare(other.type))
      .map(async ({ type: name, example, load }) => {
        const made = await (await load()).createProvider(example, context);
        if (!made.ok) throw new Error(`${name}: ${made.error.message}`);
        made.value.close?.();
        return made.value;
      }),
  );
}

const idempotency: Record<Provider['traits']['idempotency'], string> = {
  token: 'a token that the cloud remembers',
  name: 'a name for each attempt',
  'claim-name': 'one name for all attempts of a claim',
  none: 'none: one write for each attempt',
};

const duration = (seconds: number): string => (seconds % 60 === 0 ? `${seconds / 60} min` : `${seconds} s`);

const rows: readonly (readonly [string, (facts: Facts) => string])[] = [
  ['node classes', ({ nodeClasses }) => nodeClasses.map(({ kind }) => kind).join(', ')],
  ['spot', ({ traits }) => (traits.abilities.includes('spot') ? 'yes' : 'no')],
  [
    'notices before a machine is reclaimed',
    ({ traits }) => (traits.abilities.includes('interruption-notices') ? 'yes' : 'no'),
  ],
  ['offerings that one call may name', ({ traits }) => String((traits.alternatives ?? 0) + 1)],
  ['order of capacity types', ({ traits }) => traits.capacityTypeOrder?.join(', ') ?? 'by price only'],
  [
    'creates and deletes at the same time in a cluster',
    ({ traits }) => (traits.operationsAtOnce === undefined ? 'any number' : `${traits.operationsAtOnce} (a setting)`),
  ],
  ['resources sized to the claim', ({ traits }) => traits.madeToMeasure?.join(', ') ?? 'none'],
  ['what makes a repeated create harmless', ({ traits }) => idempotency[traits.idempotency]],
  ['longest write', ({ traits }) => duration(traits.writeSeconds)],
  ['maximum delay of an effect', ({ traits }) => duration(traits.latenessSeconds)],
  ['maximum lag of a list', ({ traits }) => duration(traits.listLagSeconds)],
  ['deadline of launch', ({ traits }) => duration(traits.deadlines.launchSeconds)],
  ['deadline of registration', ({ traits }) => duration(traits.deadlines.registrationSeconds)],
  ['deadline of initialization', ({ traits }) => duration(traits.deadlines.initializationSeconds)],
];

const begin = '<!-- Made by scripts/generate/provider-matrix.ts from the traits of the providers: change it there. -->';
const end = '<!-- Until here. -->';

async function providerMatrix(): Promise<string> {
  const facts = await providerFacts();
  const head = `| | ${facts.map(({ name }) => `[\`${name}\`](${name}.md)`).join(' | ')} |`;
  const lines = rows.map(([title, tell]) => `| ${title} | ${facts.map(tell).join(' | ')} |`);
  return [head, `|---|${'---|'.repeat(facts.length)}`, ...lines].join('\n');
}

/** The page with the table as it should be. */
export async function withMatrix(page: string): Promise<string> {
  const [before, rest] = page.split(`${begin}\n`);
  const after = rest?.split(`\n${end}`)[1];
  if (rest === undefined || after === undefined)
    throw new Error('docs/providers/README.md has lost the marks of its table');
  return `${before}${begin}\n\n${await providerMatrix()}\n\n${end}${after}`;
}

if (import.meta.main) writeFileSync(providersPage, await withMatrix(readFileSync(providersPage, 'utf8')));
