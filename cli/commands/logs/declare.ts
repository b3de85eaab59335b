import { Option } from 'commander';
import { countValue, durationValue } from '../../terminal/option-values.ts';
import { type Declare, withCluster, withHost } from '../declare.ts';

export const declareLogs: Declare = ({ command, run }) =>
  void withCluster(
    withHost(
      command(
        'logs',
        'show the last lines of the log of the host, of one claim if you like; where the platform keeps the log, the command that asks there',
        `poolwright logs --claim web-1 --since 1h
poolwright logs --level warn -f
poolwright logs --claim web-1 -o json`,
      )
        .option('--claim <name>', 'only what is about this NodeClaim')
        .option('--cluster <name>', 'only what is about this cluster')
        .option('--uid <uid>', 'only what is about the claim with this uid')
        .option('--workflow <id>', 'only what is about this workflow')
        .addOption(
          new Option('--level <level>', 'only lines of this level and above')
            .choices(['debug', 'info', 'warn', 'error'])
            .default('debug'),
        )
        .option('--since <duration>', 'only what is younger, such as 90s, 15m, 1h30m or 2d', durationValue)
        .option('--tail <lines>', 'the newest so many, at most 1000', countValue, 200)
        .option('-f, --follow', 'go on, and print lines as they come')
        .addOption(
          new Option('-o, --output <format>', 'how lines are written').choices(['text', 'json']).default('text'),
        ),
    ),
  ).action((options) => run(async (terminal) => (await import('./run.ts')).logs(options, terminal)));
