/** `poolwright clusters migrate`: clusters that KRO has made, to requests. */
import { type Command, Option } from 'commander';
import { type Declaring, withConsent, withDocument } from '../../declare.ts';

export const phases = ['shadow', 'adopt', 'commit', 'rollback'] as const;
export type Phase = (typeof phases)[number];

export function declareMigrate({ command, run }: Declaring, group: Command): void {
  withDocument(
    withConsent(
      command(
        'migrate [instance]',
        'move clusters from KRO to requests, in phases; nothing is deleted in Azure, and there is a way back until commit',
        `poolwright clusters migrate --from-kro --all
poolwright clusters migrate team-a/web --from-kro --phase adopt
poolwright clusters migrate team-a/web --from-kro --phase rollback
poolwright clusters migrate --from-kro --all --phase commit`,
        { under: group },
      ),
    ),
  )
    .requiredOption('--from-kro', 'the clusters are instances of a ResourceGraphDefinition')
    .addOption(
      new Option('--phase <phase>', 'shadow compares and changes nothing; commit ends the way back')
        .choices([...phases])
        .default('shadow'),
    )
    .option('--all', 'all instances that make clusters')
    .option('-n, --namespace <name>', 'namespace of the instance; with --all, only this one')
    .option('-A, --all-namespaces', 'all namespaces (default with --all)')
    .option('--accept-changes', 'adopt although Azure changes something in place')
    .option('--write-requests', 'shadow: also create the ClusterRequests, set aside for KRO')
    .option('--deployment <name>', 'name of the deployment that carries requests out', 'local')
    .option('--pool-types <file>', 'node pool types in addition to the built-in ones')
    .option('--kubeconfig <file>', 'kubeconfig of the management cluster (default: KUBECONFIG or ~/.kube/config)')
    .option('--context <name>', 'kubeconfig context to use (default: current)')
    .action((instance, options) =>
      run(async (terminal) => (await import('./run.ts')).migrate(instance, options, terminal)),
    );
}
