import { Option } from 'commander';
import type { ProviderManifest, WizardFlag } from '../../../shared/providers/manifest.ts';
import { manifests } from '../../../shared/providers/manifests.ts';
import { type Declare, withCluster, withConsent } from '../declare.ts';

/** The flags of all providers, each once, with the types that have it. */
function providerFlags(): { flag: string; text: string }[] {
  const flags = new Map<string, { text: string; types: string[] }>();
  for (const manifest of manifests) {
    for (const { flag, text } of Object.values<WizardFlag>(manifest.flags)) {
      const known = flags.get(flag) ?? { text, types: [] };
      flags.set(flag, { ...known, types: [...known.types, manifest.type] });
    }
  }
  return [...flags].map(([flag, { text, types }]) => ({ flag, text: `${types.join(', ')}: ${text}` }));
}

export const declareInit: Declare = ({ command, run }) => {
  const init = withConsent(
    withCluster(
      command(
        'init',
        'write a first configuration and a first claim or pool, based on the settings found on this machine',
        [
          'poolwright init',
          ...(manifests as readonly ProviderManifest[]).flatMap(({ initExample }) => initExample ?? []),
        ].join('\n'),
      ),
    ),
  )
    .addOption(
      new Option(
        '--provider <type>',
        'the provider that creates nodes (default: the one that fits the cluster)',
      ).choices(manifests.map(({ type }) => type)),
    )
    .option('--cluster <name>', 'name of the cluster in the configuration (default: from its context)')
    .option('--deployment <name>', 'name of this deployment, a tag on every instance (default: local)');
  for (const { flag, text } of providerFlags()) init.option(flag, text);
  init
    .option('--claim <name>', 'write a NodeClaim of this name (default: first)')
    .option('--pool <name>', 'write a NodePool of this name instead')
    .option('--replicas <count>', 'how many nodes the pool keeps (default: 1)')
    .option('--file <file>', 'where to write the configuration (default: poolwright.yaml)')
    .option('--manifest <file>', 'where to write the claim or pool (default: first-claim.yaml or first-pool.yaml)')
    .option('--force', 'replace existing files')
    .action((options) => run(async (terminal) => (await import('./init.ts')).init(options, terminal)));
};
