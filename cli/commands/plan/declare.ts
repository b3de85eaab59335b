import { Option } from 'commander';
import { type Declare, withCluster, withHost } from '../declare.ts';
import { planFormats } from './formats.ts';

export const declarePlan: Declare = ({ command, run }) =>
  void withCluster(
    withHost(
      command(
        'plan',
        'show what the claims and pools in a file would get now, and what they would cost, without creating anything',
        `poolwright plan -f claim.yaml
poolwright plan -f pools.yaml -o markdown
kubectl get nodepools -o yaml | poolwright plan -f -`,
      )
        .requiredOption(
          '-f, --filename <file>',
          'manifests of NodeClaims and NodePools, - for stdin; node classes in them are treated as existing',
          (file: string, files: string[] = []) => [...files, file],
        )
        .addOption(new Option('-o, --output <format>', 'output format').choices([...planFormats]).default('table'))
        .option('--details', 'show every instance type that was ruled out, with the reason')
        .option('--cluster <name>', 'the cluster, by its name on the host'),
    ),
  ).action((options) => run(async (terminal) => (await import('./run.ts')).plan(options, terminal)));
