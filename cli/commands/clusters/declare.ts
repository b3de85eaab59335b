import { exitCodes } from '../../terminal/exit-codes.ts';
import { UserError } from '../../terminal/user-error.ts';
import { type Declare, withConsent, withDocument, withHost } from '../declare.ts';

export const declareClusters: Declare = ({ command, run }) =>
  void withDocument(
    withConsent(
      withHost(
        command(
          'clusters [action...]',
          'show which clusters the host serves, which deployment acts on each, and any problems; confirm a cluster that you replaced; plan clusters that a file requests',
          `poolwright clusters
poolwright clusters confirm production
poolwright clusters plan -f team-a.yaml
poolwright clusters plan -f team-a.yaml -o yaml`,
        )
          .option(
            '-f, --filename <file>',
            'plan: ClusterRequests as YAML or JSON, or the parameters of one; - for stdin',
            (file: string, files: string[] = []) => [...files, file],
          )
          .option('-n, --namespace <name>', 'plan: namespace of requests that do not name one', 'default')
          .option('--pool-types <file>', 'plan: node pool types in addition to the built-in ones'),
      ),
    ),
  ).action((words: string[], options) =>
    run(async (terminal) => {
      const [action, name] = words;
      const misused = (message: string): UserError =>
        new UserError(message, { code: 'InvalidCommand', exitCode: exitCodes.misused });
      if (action !== 'plan' && (options.filename !== undefined || options.poolTypes !== undefined)) {
        throw misused('Only plan reads a file: poolwright clusters plan -f FILE');
      }
      if (action === undefined) return (await import('./run.ts')).clusters(options, terminal);
      if (action === 'confirm' && name !== undefined && words.length === 2)
        return (await import('./confirm.ts')).confirm(name, options, terminal);
      if (action === 'plan' && words.length === 1) {
        const { filename } = options;
        if (filename === undefined) throw misused('plan needs a file: poolwright clusters plan -f FILE');
        return (await import('./plan/run.ts')).planClusters({ ...options, filename }, terminal);
      }
      throw new UserError(
        'The actions are confirm, with the name of a cluster, and plan, with a file: poolwright clusters confirm NAME, poolwright clusters plan -f FILE',
        { code: 'UnknownKind', exitCode: exitCodes.misused },
      );
    }),
  );
