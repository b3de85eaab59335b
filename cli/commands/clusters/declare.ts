import { type Declare, withDocument, withHost } from '../declare.ts';

export const declareClusters: Declare = ({ command, run }) =>
  void withDocument(
    withHost(
      command(
        'clusters',
        'show which clusters the host serves, which deployment acts on each, and any problems',
        'poolwright clusters',
      ),
    ),
  ).action((options) => run(async (terminal) => (await import('./run.ts')).clusters(options, terminal)));
