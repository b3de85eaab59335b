import { Option } from 'commander';
import { type Declare, withCluster, withConsent, withDocument, withFormat, withHost } from '../declare.ts';

export const workflowStatuses = ['running', 'completed', 'failed', 'mismatched', 'set-aside'];

export const declareWorkflows: Declare = ({ command, run }) => {
  const group = command(
    'workflows',
    'look at what carries claims through their lives, step by step, and start one once more',
    `poolwright workflows --status running
poolwright workflows show claim/web-1
poolwright workflows restart claim/web-1`,
  );
  const under = { under: group };
  const which = '<id>';
  const ofClaim = [
    new Option('--cluster <name>', 'the cluster of the claim, if the host serves several'),
    new Option('--uid <uid>', 'of a claim that is gone'),
  ];

  withCluster(
    withFormat(
      withHost(
        command('list', 'list them, in the order of their start', 'poolwright workflows list --status failed', {
          ...under,
          isDefault: true,
        })
          .addOption(new Option('--status <status>', 'only those with this status').choices(workflowStatuses))
          .option('--cluster <name>', 'only those of this cluster'),
      ),
    ),
  ).action((options) => run(async (terminal) => (await import('./list.ts')).list(options, terminal)));

  const show = withDocument(
    withCluster(
      withHost(
        command(
          `show ${which}`,
          'show the history of one: each step, when, how long it took, what came of it; and what it waits for',
          `poolwright workflows show claim/web-1
poolwright workflows show production/8f6f1d0e-6f3b-4f55-9d0a-0a4c3c1d2e3f/launch/29384756`,
          under,
        ),
      ),
    ),
  ).action((id, options) => run(async (terminal) => (await import('./show.ts')).show(id, options, terminal)));

  const restart = withDocument(
    withConsent(
      withCluster(
        withHost(
          command(
            `restart ${which}`,
            'start one once more; it finds on the claim how far things are, and buys nothing twice',
            `poolwright workflows restart claim/web-1
poolwright workflows restart claim/web-1 --force --dry-run`,
            under,
          ).option('--force', 'also one that runs: for one that hangs, or that its engine has lost'),
        ),
      ),
    ),
  ).action((id, options) => run(async (terminal) => (await import('./restart.ts')).restart(id, options, terminal)));

  for (const one of [show, restart]) for (const option of ofClaim) one.addOption(option);
};
