import { Option } from 'commander';
import { type Declare, withCluster, withHost } from '../declare.ts';
import { planFormats } from './formats.ts';

export const declarePlan: Declare = ({ command, run }) =>
  void withCluster(
    withHost(
      command(
        'plan',
        'say what claims and pools in a file would get now, and what they would cost; nothing is created',
        `poolwright plan -f claim.yaml
poolwright plan -f pools.yaml -o markdown
kubectl get nodepools -o yaml | poolwright plan -f -`,
      )
        .requiredOption(
          '-f, --filename <file>',
          'manifests of NodeClaims and NodePools, - for stdin; node classes in them are taken as if they existed',
          (file: string, files: string[] = []) => [...files, file],
        )
        .addOption(new Option('-o, --output <format>', 'how it is written').choices([...planFormats]).default('table'))
        .option('--details', 'every instance type that is not taken, with its reason')
        .option('--cluster <name>', 'the cluster, by the name that the host knows it by'),
    ),
  ).action((options) => run(async (terminal) => (await import('./run.ts')).plan(options, terminal)));
