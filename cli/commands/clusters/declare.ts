import { type Declare, withConsent, withDocument, withHost } from '../declare.ts';
import { declareRequests, withFile } from './declare-requests.ts';
import { declareMigrate } from './migrate/declare.ts';

export const declareClusters: Declare = (declaring) => {
  const { command, run } = declaring;
  const group = command(
    'clusters',
    'show which clusters the host serves and who acts on each; plan, create and follow whole clusters',
    `poolwright clusters
poolwright clusters plan -f team-a.yaml
poolwright clusters create -f team-a.yaml
poolwright clusters get team-a -w
poolwright clusters confirm production`,
  );
  const under = { under: group };

  withDocument(
    withHost(
      command(
        'list',
        'show the clusters that the host serves, which deployment acts on each, and requests that are being built',
        'poolwright clusters list -o yaml',
        { ...under, isDefault: true },
      ),
    ),
  ).action((options) => run(async (terminal) => (await import('./run.ts')).clusters(options, terminal)));

  withDocument(
    withConsent(
      withHost(
        command(
          'confirm <name>',
          'accept the identity that a cluster reports now, after you replaced it',
          'poolwright clusters confirm production',
          under,
        ),
      ),
    ),
  ).action((name, options) => run(async (terminal) => (await import('./confirm.ts')).confirm(name, options, terminal)));

  declareRequests(declaring, group);
  declareMigrate(declaring, group);

  withDocument(
    withFile(
      command(
        'export',
        'export a workflow that makes such clusters, for Argo Workflows',
        'poolwright clusters export --argo -f team-a.yaml',
        under,
      ),
    )
      .requiredOption('--argo', 'as a WorkflowTemplate of Argo Workflows')
      .option('--kubectl-image <image>', 'container image with kubectl, as the default of its parameter'),
  ).action((options) => run(async (terminal) => (await import('./export/run.ts')).exportClusters(options, terminal)));
};
