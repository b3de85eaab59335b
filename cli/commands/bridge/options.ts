/** What `poolwright bridge` can be told; for the whole command line, and for the small one that has nothing else. */
import type { Command } from 'commander';
import { levelValue } from '../../terminal/option-values.ts';

export const bridgeDescription =
  'follow a cluster and send what changes to a host, for hosts that cannot watch it themselves';

export const bridgeExamples = `poolwright bridge --cluster production --to https://poolwright.example --token-file token --kubeconfig ~/.kube/config
poolwright bridge --cluster production --to sqlite:/var/lib/poolwright --kubeconfig ~/.kube/config`;

export const addBridgeOptions = (command: Command): Command =>
  command
    .requiredOption('--cluster <name>', 'the cluster, as the configuration of the host names it')
    .requiredOption('--to <where>', 'the URL of the host, or sqlite:<its data directory> on the same machine')
    .option(
      '--token-file <file>',
      'one of the tokens in clusters.<name>.intake of the host; read again when it changes',
    )
    .option('--ca-file <file>', 'whom to trust as the host, if its certificate is not signed publicly')
    .option('--cert-file <file>', 'client certificate for the host, instead of a token')
    .option('--key-file <file>', 'its key')
    .option('--kubeconfig <file>', 'how to reach the cluster (default: as the pod that this runs in)')
    .option('--context <name>', 'another context of the kubeconfig than its current one')
    .option('--server <url>', 'the API server, without a kubeconfig')
    .option('--server-token-file <file>', 'token for it; read again when it changes')
    .option('--server-ca-file <file>', 'whom to trust as the API server')
    .option('--state-dir <directory>', 'keep the bookmark in this directory, so that a restart goes on from it')
    .option('--state-config-map <namespace/name>', 'keep the bookmark in this ConfigMap of the cluster')
    .option('--node-class <group/version/plural/Kind...>', 'node classes to follow, beside claims, nodes and pools')
    .option('--probes <address:port>', 'where /healthz, /readyz and /metrics answer, or off', '127.0.0.1:8471')
    .option('--log-level <level>', 'debug, info, warn, error or silent', levelValue);
