import { exitCodes } from '../../terminal/exit-codes.ts';
import { UserError } from '../../terminal/user-error.ts';
import { type Declare, withConsent, withDocument, withHost } from '../declare.ts';

export const declareClusters: Declare = ({ command, run }) =>
  void withDocument(
    withConsent(
      withHost(
        command(
          'clusters [action...]',
          'show which clusters the host serves, which deployment acts on each, and any problems; confirm a cluster that you replaced',
          `poolwright clusters
poolwright clusters confirm production`,
        ),
      ),
    ),
  ).action((words: string[], options) =>
    run(async (terminal) => {
      const [action, name] = words;
      if (action === undefined) return (await import('./run.ts')).clusters(options, terminal);
      if (action === 'confirm' && name !== undefined && words.length === 2)
        return (await import('./confirm.ts')).confirm(name, options, terminal);
      throw new UserError('The only action is confirm, with the name of a cluster: poolwright clusters confirm NAME', {
        code: 'UnknownKind',
        exitCode: exitCodes.misused,
      });
    }),
  );
