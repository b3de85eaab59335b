import { type Declare, withCluster, withDocument, withHost } from '../declare.ts';

export const declareDoctor: Declare = ({ command, run }) => {
  const group = command(
    'doctor',
    'look for what keeps nodes from being made: this machine, the cluster, the host, the clouds',
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
          'make all checks, which is what doctor does by itself; the exit code is 1 if one fails',
          'poolwright doctor check --strict',
          { ...under, isDefault: true },
        )
          .option('--strict', 'a warning counts as a failure')
          .option('--details', 'a line for every check that passed, however many there are'),
      ),
    ),
  ).action((options) => run(async (terminal) => (await import('./doctor.ts')).doctor(options, terminal)));

  withCluster(
    withHost(
      command(
        'bundle',
        'pack what a bug report needs into an archive, without secrets; look through it before you send it',
        'poolwright doctor bundle -f report.tgz',
        under,
      ).option('-f, --file <file>', 'where to write it (default: poolwright-bundle-<time>.tgz here)'),
    ),
  ).action((options) => run(async (terminal) => (await import('./bundle.ts')).bundle(options, terminal)));
};
