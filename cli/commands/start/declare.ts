import { Option } from 'commander';
import { levelValue, portValue } from '../../terminal/option-values.ts';
import { type Declare, dataDir } from '../declare.ts';

export const declareStart: Declare = ({ command, run }) =>
  void command(
    'start',
    'run the host; without a configuration, also run a simulated cloud and cluster, offline',
    `poolwright start
poolwright start --config poolwright.yaml --data-dir /var/lib/poolwright`,
  )
    .addOption(new Option('-c, --config <file>', 'configuration (YAML or JSON)').env('POOLWRIGHT_CONFIG'))
    .addOption(dataDir('directory for all state'))
    .option('--http-port <port>', 'port of the HTTP API (default: 8470, or a free port if 8470 is in use)', portValue)
    .option('--log-level <level>', 'debug, info, warn, error or silent', levelValue)
    .option('--json', 'write only JSON lines, even on a terminal')
    .action((options) => run(async () => (await import('./run.ts')).start(options)));
