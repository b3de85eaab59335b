import { Option } from 'commander';
import { scenes } from '../../../sim/scenes/scenes.ts';
import { portValue } from '../../terminal/option-values.ts';
import { type Declare, dataDir } from '../declare.ts';

const providerOption = (what: string): Option =>
  new Option('--provider <name>', what).choices(scenes.map(({ name }) => name)).default(scenes[0]?.name);

export const declareSimulate: Declare = ({ command, run }) =>
  void command(
    'simulate',
    'run only the simulated cloud and cluster API',
    `${scenes.map(({ name, exampleSettings }) => `poolwright simulate --data-dir /tmp/${name} --provider ${name} --settings '${exampleSettings}'`).join('\n')}
poolwright simulate --data-dir /tmp/cloud --cloud-port 8480 --kubeconfig ~/.kube/config`,
  )
    .addOption(dataDir('where their state lives'))
    .option('--cloud-port <port>', 'port of the cloud (default: a free one, the same again next time)', portValue)
    .option('--cluster-port <port>', 'port of the cluster API (default: likewise)', portValue)
    .option('--kubeconfig <file>', 'no cluster API: the simulated machines join this cluster')
    .option('--context <name>', 'another context of the kubeconfig than its current one')
    .option('--settings <json>', 'settings of the cloud as JSON: bootSeconds, seed, faults, …')
    .addOption(providerOption('the provider whose cloud is simulated'))
    .action((options) => run(async () => (await import('./run.ts')).simulate(options)));

export const declareDemo: Declare = ({ command, run }) =>
  void command(
    'demo',
    'tell the whole story in under a minute, kill -9 included',
    scenes.map(({ name }) => `poolwright demo --provider ${name}`).join('\n'),
  )
    .addOption(providerOption('the provider that the demo uses'))
    .action((options) => run(async () => (await import('../demo/run.ts')).demo(options)));
