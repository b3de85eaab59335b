/** The `poolwright` command. What a command needs is loaded when it runs: help must not wait for a whole host. */
import { Argument, Command, CommanderError, Option } from 'commander';
import { nearest } from '../shared/claims/nearest.ts';
import { addBridgeOptions, bridgeDescription, bridgeExamples } from './bridge-options.ts';
import { sceneNames } from './demo/scenes.ts';
import { levelValue, portValue } from './option-values.ts';
import { UserError } from './user-error.ts';
import { version } from './version.ts';

export interface Output {
  out(text: string): void;
  err(text: string): void;
}

const processOutput: Output = {
  out: (text) => void process.stdout.write(text),
  err: (text) => void process.stderr.write(text),
};

/** What could not be done, and what was not understood. */
const failed = 1;
const misused = 2;

/** Returns the exit code. */
export async function main(args: readonly string[], output: Output = processOutput): Promise<number> {
  let code = 0;
  const program = createProgram(output, async (run) => {
    code = await run();
  });
  const unknown = unknownCommand(program, args[0]);
  if (unknown !== undefined) {
    output.err(unknown);
    return misused;
  }
  try {
    await program.parseAsync([...args], { from: 'user' });
    return code;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : misused;
    if (!(error instanceof UserError)) throw error;
    output.err(`${error.message}\n`);
    return failed;
  }
}

/** `start` is what a bare `poolwright` does, so the parser would take a misspelt command for one of its arguments. */
function unknownCommand(program: Command, first: string | undefined): string | undefined {
  if (first === undefined || first.startsWith('-')) return undefined;
  const known = [...program.commands.map((command) => command.name()), 'help'];
  if (known.includes(first)) return undefined;
  const near = nearest(first, known);
  const hint = near === undefined ? `It knows ${known.join(', ')}.` : `Did you mean ${near}?`;
  return `error: poolwright has no command '${first}'. ${hint}\n`;
}

type Run = (run: () => Promise<number>) => Promise<void>;

export function createProgram(output: Output, run: Run): Command {
  const program = new Command('poolwright')
    .description('Turns Kubernetes NodeClaims into nodes, from one machine or from serverless functions.')
    .version(version)
    .showSuggestionAfterError()
    .configureOutput({ writeOut: (text) => output.out(text), writeErr: (text) => output.err(text) })
    .configureHelp({ helpWidth: 100 })
    .addHelpText('after', '\nExamples:\n  npm run demo\n  npm start\n  npm run -s poolwright -- explain first')
    .exitOverride();
  const command = (name: string, description: string, examples: string, how: { isDefault?: boolean } = {}): Command =>
    program
      .command(name, how)
      .description(description)
      .showHelpAfterError(`See 'poolwright ${name.split(' ')[0]} --help'.`)
      .addHelpText('after', `\nExamples:\n${examples.replace(/^/gm, '  ')}`);
  const dataDir = (what: string): Option =>
    new Option('-d, --data-dir <directory>', what).default('.poolwright').env('POOLWRIGHT_DATA_DIR');
  const providerOption = (what: string): Option =>
    new Option('--provider <name>', what).choices(sceneNames).default('sim');
  const ofHost = 'the data directory of the running host';
  const otherHost = (): Option =>
    new Option('--url <url>', 'another host instead, such as a function app; needs --token-file');
  const otherToken = (): Option => new Option('--token-file <file>', 'the token of the host at --url');
  const asJson = ['--json', 'one JSON document instead of text'] as const;

  command(
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
    .action((options) => run(async () => (await import('./start.ts')).start(options)));
  command(
    'explain <claim>',
    'say what was decided about a claim, why, and what it waits for now',
    `poolwright explain first
poolwright explain web-x7 --cluster production --details`,
  )
    .option('--cluster <name>', 'the cluster of the claim, if the host serves several')
    .option('--uid <uid>', 'of a claim that is gone; its decisions are kept for a while')
    .option('--details', 'all candidates and rejections')
    .option(...asJson)
    .addOption(dataDir(ofHost))
    .addOption(otherHost())
    .addOption(otherToken())
    .action((claim, options) => run(async () => (await import('./explain.ts')).explain(claim, options, output)));
  const pausable = (): Argument => new Argument('<kind>', 'what it is').choices(['cluster', 'provider']);
  command(
    'pause',
    'buy nothing new in a cluster or from a provider; what is being deleted goes on',
    `poolwright pause cluster production --why "migration until Friday"
poolwright pause provider sim`,
  )
    .addArgument(pausable())
    .argument('<name>', 'its name in the configuration')
    .option('--why <text>', 'shown on every claim that waits for it')
    .option(...asJson)
    .addOption(dataDir(ofHost))
    .addOption(otherHost())
    .addOption(otherToken())
    .action((kind, name, options) =>
      run(async () => (await import('./pause.ts')).pause({ kind, name }, options, output)),
    );
  command('resume', 'lift a pause', 'poolwright resume cluster production')
    .addArgument(pausable())
    .argument('<name>', 'its name in the configuration')
    .option(...asJson)
    .addOption(dataDir(ofHost))
    .addOption(otherHost())
    .addOption(otherToken())
    .action((kind, name, options) =>
      run(async () => (await import('./pause.ts')).resume({ kind, name }, options, output)),
    );
  command(
    'clusters',
    'show which clusters are served, who acts on them, and what is wrong there',
    'poolwright clusters',
  )
    .option(...asJson)
    .addOption(dataDir(ofHost))
    .addOption(otherHost())
    .addOption(otherToken())
    .action((options) => run(async () => (await import('./clusters.ts')).clusters(options, output)));
  command(
    'dead-letters',
    'show the messages that could not be used, and why',
    `poolwright dead-letters
poolwright dead-letters --replay`,
  )
    .option('--replay [ids...]', 'put them back on the queue: those named, or all')
    .option(...asJson)
    .addOption(dataDir(ofHost))
    .addOption(otherHost())
    .addOption(otherToken())
    .action((options) => run(async () => (await import('./dead-letters.ts')).deadLetters(options, output)));
  addBridgeOptions(command('bridge', bridgeDescription, bridgeExamples)).action((options) =>
    run(async () => (await import('./bridge.ts')).bridge(options)),
  );
  command(
    'crds',
    'check the kinds that a cluster must know (NodeClaim, NodePool, node classes), or install those that it lacks',
    `poolwright crds check
poolwright crds install --kubeconfig ~/.kube/config --context production`,
  )
    .addArgument(new Argument('<action>', 'install never replaces what is there').choices(['check', 'install']))
    .option('--kubeconfig <file>', 'how to reach the cluster (default: KUBECONFIG, or ~/.kube/config)')
    .option('--context <name>', 'another context of the kubeconfig than its current one')
    .option(...asJson)
    .action((action: 'check' | 'install', options) =>
      run(async () => (await import('./crds.ts'))[action](options, output)),
    );
  command(
    'simulate',
    'run only the simulated cloud and cluster API',
    `poolwright simulate --data-dir /tmp/world --settings '{"bootSeconds": 5, "seed": 7}'
poolwright simulate --data-dir /tmp/azure --provider aks --settings '{"createSeconds": 5}'
poolwright simulate --data-dir /tmp/cloud --cloud-port 8480 --kubeconfig ~/.kube/config`,
  )
    .addOption(dataDir('where their state lives'))
    .option('--cloud-port <port>', 'port of the cloud (default: a free one, the same again next time)', portValue)
    .option('--cluster-port <port>', 'port of the cluster API (default: likewise)', portValue)
    .option('--kubeconfig <file>', 'no cluster API: the simulated machines join this cluster')
    .option('--context <name>', 'another context of the kubeconfig than its current one')
    .option('--settings <json>', 'settings of the cloud as JSON: bootSeconds, seed, faults, …')
    .addOption(providerOption('what is simulated: a cloud of its own, or Azure with clusters of AKS and Arc'))
    .action((options) => run(async () => (await import('./simulate.ts')).simulate(options)));
  command(
    'demo',
    'tell the whole story in under half a minute, kill -9 included',
    `npm run demo
npm run demo -- --provider aks`,
  )
    .addOption(providerOption('where it plays: on the simulated cloud, or on agent pools of AKS or Arc'))
    .action((options) => run(async () => (await import('./demo.ts')).demo(options)));
  return program;
}
