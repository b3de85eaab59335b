import { asJson, type Declare, withHost } from './declare.ts';

export const declareClusters: Declare = ({ command, run }) =>
  void withHost(
    command(
      'clusters',
      'show which clusters are served, who acts on them, and what is wrong there',
      'poolwright clusters',
    ).option(...asJson),
  ).action((options) => run(async (terminal) => (await import('../clusters.ts')).clusters(options, terminal)));
