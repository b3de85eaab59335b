import { exitCodes } from '../../terminal/exit-codes.ts';
import { UserError } from '../../terminal/user-error.ts';
import { type Declare, withConsent, withDocument, withHost } from '../declare.ts';

export const declareClusters: Declare = ({ command, run }) =>
  void withDocument(
    withConsent(
      withHost(
        command(
          'clusters [action...]',
          'show which clusters the host serves, which deployment acts on each, and any problems; confirm a cluster that you replaced; plan clusters that a file requests, or export a workflow that makes them',
          `poolwright clusters
poolwright clusters confirm production
poolwright clusters plan -f team-a.yaml
poolwright clusters plan -f team-a.yaml -o yaml
poolwright clusters export --argo -f team-a.yaml`,
        )
          .option(
            '-f, --filename <file>',
            'plan, export: ClusterRequests as YAML or JSON, or the parameters of one; - for stdin',
            (file: string, files: string[] = []) => [...files, file],
          )
          .option('-n, --namespace <name>', 'plan, export: namespace of requests that do not name one', 'default')
          .option('--pool-types <file>', 'plan, export: node pool types in addition to the built-in ones')
          .option('--argo', 'export: as a WorkflowTemplate of Argo Workflows')
          .option('--kubectl-image <image>', 'export: container image with kubectl, as the default of its parameter'),
      ),
    ),
  ).action((words: string[], options) =>
    run(async (terminal) => {
      const [action, name] = words;
      const misused = (message: string): UserError =>
        new UserError(message, { code: 'InvalidCommand', exitCode: exitCodes.misused });
      if (
        action !== 'plan' &&
        action !== 'export' &&
        (options.filename !== undefined || options.poolTypes !== undefined)
      ) {
        throw misused('Only plan and export read a file: poolwright clusters plan -f FILE');
      }
      if (action === undefined) return (await import('./run.ts')).clusters(options, terminal);
      if (action === 'confirm' && name !== undefined && words.length === 2)
        return (await import('./confirm.ts')).confirm(name, options, terminal);
      if (action === 'plan' && words.length === 1) {
        const { filename } = options;
        if (filename === undefined) throw misused('plan needs a file: poolwright clusters plan -f FILE');
        return (await import('./plan/run.ts')).planClusters({ ...options, filename }, terminal);
      }
      if (action === 'export' && words.length === 1) {
        if (options.argo !== true) throw misused('export needs a format: poolwright clusters export --argo');
        return (await import('./export/run.ts')).exportClusters(options, terminal);
      }
      throw new UserError(
        'The actions are confirm, with the name of a cluster, plan, with a file, and export: poolwright clusters confirm NAME, poolwright clusters plan -f FILE, poolwright clusters export --argo',
        { code: 'UnknownKind', exitCode: exitCodes.misused },
      );
    }),
  );
