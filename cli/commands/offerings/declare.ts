import { Option } from 'commander';
import { type Declare, withConsent, withFormat, withHost } from '../declare.ts';

/** As `capacityTypes` of the claims have them; help loads nothing of those. */
const capacityTypes = ['reserved', 'spot', 'on-demand'];

export const declareOfferings: Declare = ({ command, run }) => {
  const group = command(
    'offerings',
    "show offerings that were recently unavailable; 'get offerings' lists all offerings",
    `poolwright offerings unavailable
poolwright offerings unavailable clear --type gpu-large`,
  );
  const unavailable = command(
    'unavailable',
    'show offerings that are skipped for a while because the cloud refused them, or allow them again',
    `poolwright offerings unavailable
poolwright offerings unavailable clear --provider sim`,
    { under: group },
  );
  withFormat(
    withHost(
      command(
        'list',
        'list the skipped offerings, why and until when',
        'poolwright offerings unavailable list -o wide',
        {
          under: unavailable,
          isDefault: true,
        },
      ).option('--provider <name>', 'only offerings of this provider'),
    ),
  ).action((options) => run(async (terminal) => (await import('./unavailable.ts')).list(options, terminal)));

  withConsent(
    withHost(
      command(
        'clear',
        'stop skipping offerings, so that the next retry of a claim may use them: all, or those that match the options',
        `poolwright offerings unavailable clear --provider sim
poolwright offerings unavailable clear --type gpu-large --zone zone-a --dry-run`,
        { under: unavailable },
      )
        .option('--provider <name>', 'offerings of this provider')
        .option('--type <name>', 'this instance type')
        .option('--zone <name>', 'in this zone')
        .addOption(new Option('--capacity-type <type>', 'under this capacity type').choices(capacityTypes)),
    ),
  ).action((options) => run(async (terminal) => (await import('./unavailable.ts')).clear(options, terminal)));
};
