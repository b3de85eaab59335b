/** The commands about requests for whole clusters. */
import { type Command, Option } from 'commander';
import { guardWords } from '../../../shared/clusters/operations/guard.ts';
import { type Parameter, spellings } from '../../../shared/clusters/request/parameter-names.ts';
import { type Declaring, withConsent, withDocument, withFormat, withHost } from '../declare.ts';

/** For commands that read requests from files. */
export const withFile = (command: Command): Command =>
  command
    .option(
      '-f, --filename <file>',
      'ClusterRequests as YAML or JSON, or the parameters of one; - for stdin',
      (file: string, files: string[] = []) => [...files, file],
    )
    .option('-n, --namespace <name>', 'namespace of requests that do not name one', 'default')
    .option('--pool-types <file>', 'node pool types in addition to the built-in ones');

/** For commands that reach requests: through a host, or with a kubeconfig in a management cluster. */
const withReach = (command: Command): Command =>
  withHost(command)
    .option('--kubeconfig <file>', 'kubeconfig of a management cluster, instead of a host')
    .option('--context <name>', 'kubeconfig context to use (default: current)')
    .option('-A, --all-namespaces', 'all namespaces (default where requests are listed)')
    .option('--cluster <name>', 'the management cluster, by its name on the host, where there are several');

const withNamespace = (command: Command): Command =>
  command.option('-n, --namespace <name>', 'only this namespace; a namespace is a team');

const parameterTexts: Readonly<Record<Parameter, string>> = {
  clusterName: 'name of the cluster, instead of a file',
  location: 'Azure location, such as westeurope',
  nodePoolType: 'standard, memory-optimized, compute-optimized, or a type of the platform team',
  enableNAP: 'true: node auto-provisioning; false: agent pools',
  dryRun: 'true: only check and plan the request',
  kubernetesVersion: 'such as 1.35',
  primaryVmSize: 'VM size, instead of those of the pool type',
  secondaryVmSize: 'second VM size',
  skuFamily: 'family of VM sizes',
  maxCpu: 'most vCPUs of the pool',
  maxMemory: 'most memory of the pool, such as 1000Gi',
  systemVmSize: 'VM size of the system pool',
};

export function declareRequests({ command, run }: Declaring, group: Command): void {
  const under = { under: group };

  withDocument(
    withReach(
      withFile(
        command(
          'plan',
          'show what requests in a file would become: manifests, what is wrong, the price; nothing is created',
          `poolwright clusters plan -f team-a.yaml
poolwright clusters plan -f team-a.yaml -o yaml
poolwright clusters plan -f team-a.yaml --check`,
          under,
        ),
      ).option('--check', 'also check quota, sizes, versions and names at Azure, through the host'),
    ),
  ).action((options) => run(async (terminal) => (await import('./plan/run.ts')).planClusters(options, terminal)));

  const create = withReach(
    withFile(
      command(
        'create',
        'create requests for clusters from a file, or one from parameters; the same request twice is one',
        `poolwright clusters create -f team-a.yaml
poolwright clusters create --cluster-name team-a --location westeurope --enable-nap true`,
        under,
      ),
    ),
  );
  const parameters = Object.entries(spellings) as [Parameter, string][];
  for (const [parameter, spelled] of parameters) {
    create.addOption(new Option(`--${spelled} <value>`, parameterTexts[parameter]));
  }
  withDocument(create).action((options) =>
    run(async (terminal) => {
      // The parser has keys of its own, such as enableNap.
      const keyOf = (spelled: string): string =>
        spelled.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
      const given = Object.fromEntries(
        parameters.flatMap(([parameter, spelled]) => {
          const value: unknown = options[keyOf(spelled)];
          return value === undefined ? [] : [[parameter, value]];
        }),
      );
      return (await import('./create.ts')).createClusters(options, given, terminal);
    }),
  );

  withNamespace(
    withReach(
      withFormat(
        command(
          'get [name]',
          'list requests for clusters, or show one stage by stage with durations and what it waits for',
          `poolwright clusters get
poolwright clusters get team-a
poolwright clusters get team-a -w
poolwright clusters get -n team-a -o wide`,
          under,
        ).option('-w, --watch', 'follow the changes; for one request until its cluster is ready'),
      ),
    ),
  ).action((name, options) =>
    run(async (terminal) => (await import('./get/run.ts')).getRequests(name, options, terminal)),
  );

  const aboutOne = (words: string, text: string, examples: string): Command =>
    withDocument(withNamespace(withReach(command(words, text, examples, under))));

  aboutOne(
    'explain <name>',
    'explain what is wrong with a request, why, and how to fix it',
    'poolwright clusters explain team-a',
  ).action((name, options) =>
    run(async (terminal) => (await import('./explain.ts')).explainCluster(name, options, terminal)),
  );

  aboutOne(
    'diff <name>',
    'show where the live cluster differs from its request, field by field; exits with 1 if it does',
    `poolwright clusters diff team-a
poolwright clusters diff team-a -o json`,
  ).action((name, options) =>
    run(async (terminal) => (await import('./diff.ts')).diffCluster(name, options, terminal)),
  );

  withConsent(
    aboutOne(
      'delete <name>',
      'delete a request and its cluster; a delete guard is respected',
      `poolwright clusters delete team-a
poolwright clusters delete team-a --guard keep -y`,
    ),
  )
    .addOption(
      new Option('--guard <word>', 'keep: the cluster stays in Azure; lift: remove the delete guard').choices([
        ...guardWords,
      ]),
    )
    .action((name, options) =>
      run(async (terminal) => (await import('./change.ts')).deleteCluster(name, options, terminal)),
    );

  withConsent(
    aboutOne(
      'cancel <name>',
      'make nothing more for a request that is not ready; what was made stays',
      'poolwright clusters cancel team-a -y',
    ),
  ).action((name, options) =>
    run(async (terminal) => (await import('./change.ts')).cancelCluster(name, options, terminal)),
  );

  aboutOne(
    'retry <name>',
    'try again now what has failed, waits for quota or rights, or was cancelled',
    'poolwright clusters retry team-a',
  ).action((name, options) =>
    run(async (terminal) => (await import('./change.ts')).retryCluster(name, options, terminal)),
  );
}
