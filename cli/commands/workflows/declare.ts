import { Option } from 'commander';
import { type Declare, withCluster, withConsent, withDocument, withFormat, withHost } from '../declare.ts';

export const workflowStatuses = ['running', 'completed', 'failed', 'mismatched', 'set-aside'];

export const declareWorkflows: Declare = ({ command, run }) => {
  const group = command(
    'workflows',
    'show the workflows that launch and terminate claims, step by step, or restart one',
    `poolwright workflows --status running
poolwright workflows show claim/web-1
poolwright workflows restart claim/web-1`,
  );
  const under = { under: group };
  const which = '<id>';
  const ofClaim = [
    new Option('--cluster <name>', "the claim's cluster, if the host serves more than one"),
    new Option('--uid <uid>', 'uid of a deleted claim'),
  ];

  withCluster(
    withFormat(
      withHost(
        command('list', 'list workflows, oldest first', 'poolwright workflows list --status failed', {
          ...under,
          isDefault: true,
        })
          .addOption(new Option('--status <status>', 'only those with this status').choices(workflowStatuses))
          .option('--cluster <name>', 'only those in this cluster'),
      ),
    ),
  ).action((options) => run(async (terminal) => (await import('./list.ts')).list(options, terminal)));

  const show = withDocument(
    withCluster(
      withHost(
        command(
          `show ${which}`,
          'show the history of one workflow (each step, its time, duration and result) and what it is waiting for',
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
            'restart one workflow; it continues from the state of the claim and never creates a second instance',
            `poolwright workflows restart claim/web-1
poolwright workflows restart claim/web-1 --force --dry-run`,
            under,
          ).option('--force', 'also restart a running workflow, if it hangs or its engine has lost it'),
        ),
      ),
    ),
  ).action((id, options) => run(async (terminal) => (await import('./restart.ts')).restart(id, options, terminal)));

  for (const one of [show, restart]) for (const option of ofClaim) one.addOption(option);
};
