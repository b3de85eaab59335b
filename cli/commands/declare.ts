/**
 * How a command is declared: its words here, in a small file that help can load; what it does in a file of its own, which is loaded
 * when it runs.
 *
 * @example
 * export const declareClusters: Declare = ({ command, run }) =>
 *   withHost(command('clusters', 'show which clusters are served', 'poolwright clusters')).action((options) =>
 *     run(async (terminal) => (await import('./clusters/run.ts')).clusters(options, terminal)),
 *   );
 */
import { type Command, Option } from 'commander';
import { documentFormats } from '../terminal/output/document.ts';
import { formats } from '../terminal/output/formats.ts';
import type { Terminal } from '../terminal/terminal.ts';

export interface Declaring {
  program: Command;
  /** The name with its arguments, one line of meaning, and lines that work as they stand. */
  command(name: string, description: string, examples: string, how?: { isDefault?: boolean; under?: Command }): Command;
  /** What `run` returns is the exit code. */
  run(run: (terminal: Terminal) => Promise<number>): Promise<void>;
}

export type Declare = (declaring: Declaring) => void;

export const dataDir = (what: string): Option =>
  new Option('-d, --data-dir <directory>', what).default('.poolwright').env('POOLWRIGHT_DATA_DIR');

/** For commands that ask a host. */
export const withHost = (command: Command): Command =>
  command
    .addOption(dataDir('data directory of the running host'))
    .addOption(
      new Option('--url <url>', 'URL of a remote host, such as a function app; needs --token-file').env(
        'POOLWRIGHT_URL',
      ),
    )
    .addOption(
      new Option('--token-file <file>', 'file with the token for the host at --url').env('POOLWRIGHT_TOKEN_FILE'),
    )
    .addOption(
      new Option('--ca-file <file>', 'certificate authority (PEM) of the host at --url, if it is a private one').env(
        'POOLWRIGHT_CA_FILE',
      ),
    );

/**
 * For commands that ask a cluster, or take its kubeconfig for its name. All of them take -n and -A, as kubectl does for what is in no
 * namespace. @param namespace What -n does where there are namespaces.
 */
export const withCluster = (
  command: Command,
  namespace = 'no effect, because claims and nodes are cluster-scoped',
): Command =>
  command
    .option(
      '--kubeconfig <file>',
      'kubeconfig of the cluster (default: KUBECONFIG, the simulated cluster, or ~/.kube/config)',
    )
    .option('--context <name>', 'kubeconfig context to use (default: current)')
    .option('-n, --namespace <name>', namespace)
    .option('-A, --all-namespaces', 'all namespaces (default)');

/** For commands that list. */
export const withFormat = (command: Command): Command =>
  command.addOption(new Option('-o, --output <format>', 'output format').choices([...formats]).default('table'));

/** For commands that answer with one thing whole. */
export const withDocument = (command: Command): Command =>
  command
    .addOption(new Option('-o, --output <format>', 'output format').choices([...documentFormats]).default('text'))
    .addOption(shortForJson());

/** To code it is -o json; an -o that is given beside it wins. */
export const shortForJson = (): Option => new Option('--json', 'the same as -o json').implies({ output: 'json' });

/** For commands that change something. */
export const withConsent = (command: Command): Command =>
  command
    .option('-y, --yes', 'do not ask for confirmation')
    .option('--dry-run', 'show what would change, without changing it');
