import { type Declare, withDocument, withHost } from '../declare.ts';

export const declareClusters: Declare = ({ command, run }) =>
  void withDocument(
    withHost(
      command(
        'clusters',
        'show which clusters are served, who acts on them, and what is wrong there',
        'poolwright clusters',
      ),
    ),
  ).action((options) => run(async (terminal) => (await import('./run.ts')).clusters(options, terminal)));
