/** The `poolwright` command. */
import { Command } from 'commander';
import { simulate } from './simulate.ts';
import { start } from './start.ts';
import { version } from './version.ts';

export async function main(args: readonly string[]): Promise<void> {
  const program = new Command('poolwright')
    .description('Turns Kubernetes NodeClaims into nodes, from one machine or from serverless functions.')
    .version(version)
    .showHelpAfterError()
    .showSuggestionAfterError();
  program
    .command('start', { isDefault: true })
    .description('run the host; without a configuration also a simulated cloud and cluster, so that it works offline')
    .option('-c, --config <file>', 'configuration (YAML or JSON)')
    .option('-d, --data-dir <directory>', 'where all state lives', '.poolwright')
    .option('--http-port <port>', 'port of the HTTP API')
    .option('--log-level <level>', 'debug, info, warn, error or silent')
    .option('--json', 'log as JSON, also on a terminal')
    .action(start);
  program
    .command('simulate')
    .description('run only the simulated cloud and cluster API')
    .option('-d, --data-dir <directory>', 'where their state lives', '.poolwright')
    .option('--cloud-port <port>', 'port of the cloud (default: any free one, the same again next time)')
    .option('--cluster-port <port>', 'port of the cluster API (default: any free one, the same again next time)')
    .option('--settings <json>', 'settings of the cloud as JSON: bootSeconds, seed, faults, …')
    .action(simulate);
  program
    .command('demo')
    .description('tell the whole story in under half a minute, kill -9 included')
    .action(async () => (await import('./demo.ts')).demo());
  await program.parseAsync([...args], { from: 'user' });
}
