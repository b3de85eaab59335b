import { durationValue } from '../../terminal/option-values.ts';
import { type Declare, withConsent, withDocument, withFormat, withHost } from '../declare.ts';

export const declareDeadLetters: Declare = ({ command, run }) => {
  const group = command(
    'deadletters',
    'show the messages that could not be processed, put them back on the queue, or delete them',
    `poolwright deadletters
poolwright deadletters show 42
poolwright deadletters replay --all`,
  ).alias('dead-letters');
  const under = { under: group };

  withFormat(
    withHost(
      command('list', 'list dead letters, oldest first', 'poolwright deadletters list -o wide', {
        ...under,
        isDefault: true,
      }),
    ),
  ).action((options) => run(async (terminal) => (await import('./list.ts')).list(options, terminal)));

  withDocument(
    withHost(
      command(
        'show <id>',
        'show one dead letter: why it was dead-lettered, what is wrong with it now, and what to do',
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
          'put dead letters back on the queue, after you have fixed the cause',
          `poolwright deadletters replay 42 43
poolwright deadletters replay --all --dry-run`,
          under,
        ).option('--all', 'all current dead letters'),
      ),
    ),
  ).action((ids, options) => run(async (terminal) => (await import('./change.ts')).replay(ids, options, terminal)));

  withDocument(
    withConsent(
      withHost(
        command(
          'drop [ids...]',
          'delete dead letters permanently',
          `poolwright deadletters drop 42 43
poolwright deadletters drop --cluster production --older-than 1h
poolwright deadletters drop --all --dry-run`,
          under,
        )
          .option('--all', 'all current dead letters')
          .option('--cluster <name>', 'those of this cluster')
          .option('--reason <text>', 'those whose reason contains this text')
          .option(
            '--older-than <duration>',
            'those dead for longer than this, such as 90s, 1h30m or 2d',
            durationValue,
          ),
      ),
    ),
  ).action((ids, options) => run(async (terminal) => (await import('./change.ts')).drop(ids, options, terminal)));
};
