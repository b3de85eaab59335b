import { type Declare, shortForJson, withConsent, withDocument, withFormat, withHost } from '../declare.ts';

export const declarePause: Declare = ({ command, run }) => {
  withFormat(
    withConsent(
      withHost(
        command(
          'pause [target...]',
          'buy nothing new in a cluster or from a provider, while what is being deleted goes on; or list what is paused',
          `poolwright pause cluster/production --why "migration until Friday"
poolwright pause provider/sim --dry-run
poolwright pause --list`,
        )
          .option('--list', 'what is paused now, by whom, and why')
          .option('--why <text>', 'shown on every claim that waits for it'),
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
          'lift a pause, so that what waits goes on',
          `poolwright resume cluster/production
poolwright resume provider/sim --yes`,
        ),
      ),
    ),
  ).action((words, options) => run(async (terminal) => (await import('./change.ts')).resume(words, options, terminal)));
};
