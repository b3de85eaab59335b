import { Option } from 'commander';
import { actionNames } from '../../../shared/identity/actions.ts';
import { countValue, durationValue } from '../../terminal/option-values.ts';
import { type Declare, withFormat, withHost } from '../declare.ts';

export const declareAudit: Declare = ({ command, run }) =>
  void withFormat(
    withHost(
      command(
        'audit',
        'show who paused, resumed, replayed, dropped, restarted, adopted or confirmed what, and when',
        `poolwright audit
poolwright audit --caller on-call --since 2d
poolwright audit --action pause -o json`,
      )
        .option('--caller <name>', "only actions of this caller; host-token is the holder of the host's own token")
        .addOption(new Option('--action <action>', 'only this action').choices(actionNames))
        .option('--since <duration>', 'only actions newer than this, such as 90s, 15m, 1h30m or 2d', durationValue)
        .option('--limit <entries>', 'show at most this many entries, the newest', countValue, 100),
    ),
  ).action((options) => run(async (terminal) => (await import('./run.ts')).audit(options, terminal)));
