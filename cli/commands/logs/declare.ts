import { Option } from 'commander';
import { countValue, durationValue } from '../../terminal/option-values.ts';
import { type Declare, withCluster, withHost } from '../declare.ts';

export const declareLogs: Declare = ({ command, run }) =>
  void withCluster(
    withHost(
      command(
        'logs',
        "show the host's recent log, optionally for one claim; on a cloud host, print the query to run there",
        `poolwright logs --claim web-1 --since 1h
poolwright logs --level warn -f
poolwright logs --claim web-1 -o json`,
      )
        .option('--claim <name>', 'only lines about this NodeClaim')
        .option('--cluster <name>', 'only lines about this cluster')
        .option('--uid <uid>', 'only lines about the claim with this uid')
        .option('--workflow <id>', 'only lines about this workflow')
        .addOption(
          new Option('--level <level>', 'only lines at this level or above')
            .choices(['debug', 'info', 'warn', 'error'])
            .default('debug'),
        )
        .option('--since <duration>', 'only lines newer than this, such as 90s, 15m, 1h30m or 2d', durationValue)
        .option('--tail <lines>', 'show only the last N lines (max 1000)', countValue, 200)
        .option('-f, --follow', 'keep running, and print new lines as they arrive')
        .addOption(new Option('-o, --output <format>', 'output format').choices(['text', 'json']).default('text')),
    ),
  ).action((options) => run(async (terminal) => (await import('./run.ts')).logs(options, terminal)));
