import { type Declare, withCluster, withConsent, withDocument, withHost } from '../declare.ts';

export const declareAdopt: Declare = ({ command, run }) => {
  withDocument(
    withConsent(
      withCluster(
        withHost(
          command(
            'adopt <target...>',
            'make the machine of a claim ours whose provisioner is gone, or write a record anew that cannot be read',
            `poolwright adopt claim/web-1 --dry-run
poolwright adopt claim/web-1 --cluster production --yes`,
          ),
        ),
      ),
    ),
  )
    .option('--cluster <name>', 'the cluster of the claim, by its name in the configuration of the host')
    .action((words, options) => run(async (terminal) => (await import('./run.ts')).adopt(words, options, terminal)));
};
