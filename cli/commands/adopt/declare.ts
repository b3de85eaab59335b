import { type Declare, withCluster, withConsent, withDocument, withHost } from '../declare.ts';

export const declareAdopt: Declare = ({ command, run }) => {
  withDocument(
    withConsent(
      withCluster(
        withHost(
          command(
            'adopt <target...>',
            'take over the instance of a claim whose provisioner is gone, or rebuild an attempt record that cannot be read',
            `poolwright adopt claim/web-1 --dry-run
poolwright adopt claim/web-1 --cluster production --yes`,
          ),
        ),
      ),
    ),
  )
    .option('--cluster <name>', "the claim's cluster, by its name in the host's configuration")
    .action((words, options) => run(async (terminal) => (await import('./run.ts')).adopt(words, options, terminal)));
};
