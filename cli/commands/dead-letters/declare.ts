import { type Declare, withConsent, withDocument, withFormat, withHost } from '../declare.ts';

export const declareDeadLetters: Declare = ({ command, run }) => {
  const group = command(
    'deadletters',
    'show the messages that could not be used, put them back on the queue, or throw them away',
    `poolwright deadletters
poolwright deadletters show 42
poolwright deadletters replay --all`,
  ).alias('dead-letters');
  const under = { under: group };

  withFormat(
    withHost(
      command('list', 'list them, oldest first', 'poolwright deadletters list -o wide', { ...under, isDefault: true }),
    ),
  ).action((options) => run(async (terminal) => (await import('./list.ts')).list(options, terminal)));

  withDocument(
    withHost(
      command(
        'show <id>',
        'show one whole: why it lies there, what is wrong with it now, and what to do',
        'poolwright deadletters show 42',
        under,
      ),
    ),
  ).action((id, options) => run(async (terminal) => (await import('./show.ts')).show(id, options, terminal)));

  withDocument(
    withConsent(
      withHost(
        command(
          'replay [ids...]',
          'put dead letters back on the queue, after what was wrong is mended',
          `poolwright deadletters replay 42 43
poolwright deadletters replay --all --dry-run`,
          under,
        ).option('--all', 'all that are there now'),
      ),
    ),
  ).action((ids, options) => run(async (terminal) => (await import('./change.ts')).replay(ids, options, terminal)));

  withDocument(
    withConsent(
      withHost(
        command(
          'drop [ids...]',
          'throw dead letters away, for good',
          `poolwright deadletters drop 42 43
poolwright deadletters drop --all --dry-run`,
          under,
        ).option('--all', 'all that are there now'),
      ),
    ),
  ).action((ids, options) => run(async (terminal) => (await import('./change.ts')).drop(ids, options, terminal)));
};
