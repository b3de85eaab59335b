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
    .addOption(dataDir('directory for their state'))
    .option('--cloud-port <port>', 'port of the cloud (default: a free port, reused next time)', portValue)
    .option('--cluster-port <port>', 'port of the cluster API (default: a free port, reused next time)', portValue)
    .option('--kubeconfig <file>', 'let the simulated instances join this cluster, instead of starting a cluster API')
    .option('--context <name>', 'kubeconfig context to use (default: current)')
    .option('--settings <json>', 'settings of the cloud as JSON: bootSeconds, seed, faults, …')
    .addOption(providerOption('the provider whose cloud is simulated'))
    .action((options) => run(async () => (await import('./run.ts')).simulate(options)));

export const declareDemo: Declare = ({ command, run }) =>
  void command(
    'demo',
    'run a full demo in under a minute, including a kill -9 of the host',
    [...scenes.map(({ name }) => `poolwright demo --provider ${name}`), 'poolwright demo --clusters'].join('\n'),
  )
    .option('--clusters', 'show requests for whole AKS clusters, instead of claims')
    .addOption(providerOption('which cloud the demo simulates'))
    .action((options) =>
      run(async () =>
        options.clusters === true
          ? (await import('../demo/clusters/run.ts')).demoClusters()
          : (await import('../demo/run.ts')).demo(options),
      ),
    );
