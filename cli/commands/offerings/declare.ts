import { Option } from 'commander';
import { type Declare, withConsent, withFormat, withHost } from '../declare.ts';

/** As `capacityTypes` of the claims have them; help loads nothing of those. */
const capacityTypes = ['reserved', 'spot', 'on-demand'];

export const declareOfferings: Declare = ({ command, run }) => {
  const group = command(
    'offerings',
    "what could not be had lately; 'get offerings' lists all that there is",
    `poolwright offerings unavailable
poolwright offerings unavailable clear --type gpu-large`,
  );
  const unavailable = command(
    'unavailable',
    'show what is passed over for a while because the cloud refused it, or have it tried again',
    `poolwright offerings unavailable
poolwright offerings unavailable clear --provider sim`,
    { under: group },
  );
  withFormat(
    withHost(
      command('list', 'list what is passed over, why and until when', 'poolwright offerings unavailable list -o wide', {
        under: unavailable,
        isDefault: true,
      }).option('--provider <name>', 'only what this provider sells'),
    ),
  ).action((options) => run(async (terminal) => (await import('./unavailable.ts')).list(options, terminal)));

  withConsent(
    withHost(
      command(
        'clear',
        'forget it, so that the next try of a claim may ask for it: all, or what the options name',
        `poolwright offerings unavailable clear --provider sim
poolwright offerings unavailable clear --type gpu-large --zone zone-a --dry-run`,
        { under: unavailable },
      )
        .option('--provider <name>', 'what this provider sells')
        .option('--type <name>', 'this instance type')
        .option('--zone <name>', 'in this zone')
        .addOption(new Option('--capacity-type <type>', 'under this capacity type').choices(capacityTypes)),
    ),
  ).action((options) => run(async (terminal) => (await import('./unavailable.ts')).clear(options, terminal)));
};
