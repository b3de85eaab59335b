import { type Declare, withCluster, withDocument, withHost } from '../declare.ts';

export const declareDoctor: Declare = ({ command, run }) => {
  const group = command(
    'doctor',
    'look for problems that keep nodes from being created: this machine, the cluster, the host, the clouds',
    `poolwright doctor
poolwright doctor --json --strict
poolwright doctor bundle`,
  );
  const under = { under: group };

  withDocument(
    withCluster(
      withHost(
        command(
          'check',
          'run all checks (the default); the exit code is 1 if one fails',
          'poolwright doctor check --strict',
          { ...under, isDefault: true },
        )
          .option('--strict', 'treat warnings as failures')
          .option('--details', 'show one line for every check that passed'),
      ),
    ),
  ).action((options) => run(async (terminal) => (await import('./doctor.ts')).doctor(options, terminal)));

  withCluster(
    withHost(
      command(
        'bundle',
        'collect data for a bug report in an archive, without secrets; review it before you send it',
        'poolwright doctor bundle -f report.tgz',
        under,
      ).option('-f, --file <file>', 'file to write (default: ./poolwright-bundle-<time>.tgz)'),
    ),
  ).action((options) => run(async (terminal) => (await import('./bundle.ts')).bundle(options, terminal)));
};
