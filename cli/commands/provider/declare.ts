import { Option } from 'commander';
import { portValue } from '../../terminal/option-values.ts';
import type { Declare } from '../declare.ts';

const examples = `poolwright provider --type mock --insecure --listen 127.0.0.1
poolwright provider --type mock --tls-dir ./tls --port 9443 --health-port 8080
poolwright provider --driver docs/examples/own-driver/driver.js --insecure --listen 127.0.0.1`;

export const declareProvider: Declare = ({ command, run }) =>
  void command('provider', 'serve a machine driver over gRPC, for hosts and for the manager of VirtRigaud', examples)
    .addOption(new Option('--type <type>', 'driver to serve: mock').env('PROVIDER_TYPE'))
    .option('--listen <address>', 'address to listen on', '0.0.0.0')
    .option('--port <port>', 'port for gRPC', portValue, 9443)
    .option('--health-port <port>', 'port for /healthz, /readyz and /metrics', portValue, 8080)
    .option('--tls-dir <directory>', 'directory with tls.crt, tls.key and ca.crt', '/etc/virtrigaud/tls')
    .option(
      '--insecure',
      'serve plaintext if the directory has no certificates: everyone who can reach the port may call',
    )
    .option('--token-file <file>', 'file with a token that clients must send; reread when it changes')
    .option('--driver <file>', 'JavaScript file with a machine driver of your own, instead of the mock')
    .option(
      '--credentials-dir <directory>',
      'directory with the credentials for that driver',
      '/etc/virtrigaud/credentials',
    )
    .option('--state-file <file>', 'file in which the mock keeps its machines (default: in memory)')
    .action((options) => run(async () => (await import('./run.ts')).provider(options)));
