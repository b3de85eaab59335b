import { type Declare, shortForJson, withConsent, withDocument, withFormat, withHost } from '../declare.ts';

export const declarePause: Declare = ({ command, run }) => {
  withFormat(
    withConsent(
      withHost(
        command(
          'pause [target...]',
          'stop creating instances in a cluster or with a provider (deletions continue), or list the pauses',
          `poolwright pause cluster/production --why "migration until Friday"
poolwright pause provider/sim --dry-run
poolwright pause --list`,
        )
          .option('--list', 'list what is paused, who paused it, and why')
          .option('--why <text>', 'reason, shown on every claim that the pause holds up'),
      ),
    ),
  )
    .addOption(shortForJson())
    .action((words, options) =>
      run(async (terminal) =>
        options.list
          ? (await import('./list.ts')).list(words, options, terminal)
          : (await import('./change.ts')).pause(words, options, terminal),
      ),
    );
  withDocument(
    withConsent(
      withHost(
        command(
          'resume <target...>',
          'lift a pause, so that waiting claims continue',
          `poolwright resume cluster/production
poolwright resume provider/sim --yes`,
        ),
      ),
    ),
  ).action((words, options) => run(async (terminal) => (await import('./change.ts')).resume(words, options, terminal)));
};
