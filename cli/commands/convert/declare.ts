import { Option } from 'commander';
import type { Declare } from '../declare.ts';

export const declareConvert: Declare = ({ command, run }) =>
  void command(
    'convert',
    'convert old manifests (AKSNodeClass v1alpha2, NodePool v1beta1, ManagedCluster) to those of today, and report each change',
    `poolwright convert -f pool.yaml
poolwright convert -f pool.yaml > converted.yaml
kubectl get nodepools -o yaml | poolwright convert -f -`,
  )
    .requiredOption(
      '-f, --filename <file>',
      'manifests to convert, - for stdin; objects of other kinds pass unchanged',
      (file: string, files: string[] = []) => [...files, file],
    )
    .addOption(new Option('-o, --output <format>', 'output format').choices(['yaml', 'json']).default('yaml'))
    .action((options) => run(async (terminal) => (await import('./run.ts')).convert(options, terminal)));
