import { Option } from 'commander';
import { levelValue, portValue } from '../../terminal/option-values.ts';
import { type Declare, dataDir } from '../declare.ts';

export const declareStart: Declare = ({ command, run }) =>
  void command(
    'start',
    'run the host; without a configuration also a simulated cloud and cluster, so that it works offline',
    `poolwright start
poolwright start --config poolwright.yaml --data-dir /var/lib/poolwright`,
    { isDefault: true },
  )
    .addOption(new Option('-c, --config <file>', 'configuration (YAML or JSON)').env('POOLWRIGHT_CONFIG'))
    .addOption(dataDir('where all state lives'))
    .option('--http-port <port>', 'port of the HTTP API (default: 8470, or a free one if that is taken)', portValue)
    .option('--log-level <level>', 'debug, info, warn, error or silent', levelValue)
    .option('--json', 'only lines of JSON, also on a terminal')
    .action((options) => run(async () => (await import('./run.ts')).start(options)));
