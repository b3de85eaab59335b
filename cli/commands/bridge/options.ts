/** What `poolwright bridge` can be told; for the whole command line, and for the small one that has nothing else. */
import type { Command } from 'commander';
import { levelValue } from '../../terminal/option-values.ts';

export const bridgeDescription = 'watch a cluster and send its changes to a host that cannot watch it itself';

export const bridgeExamples = `poolwright bridge --cluster production --to https://poolwright.example --token-file token --kubeconfig ~/.kube/config
poolwright bridge --cluster production --to sqlite:/var/lib/poolwright --kubeconfig ~/.kube/config`;

export const addBridgeOptions = (command: Command): Command =>
  command
    .requiredOption('--cluster <name>', "the cluster's name in the host's configuration")
    .requiredOption('--to <where>', "the host's URL, or sqlite:<data directory> for a host on the same machine")
    .option(
      '--token-file <file>',
      "file with one of the tokens in the host's clusters.<name>.intake; reread when it changes",
    )
    .option('--ca-file <file>', 'CA certificate for the host, if it is not publicly trusted')
    .option('--cert-file <file>', 'client certificate to use with the host, instead of a token')
    .option('--key-file <file>', 'key of the client certificate')
    .option('--kubeconfig <file>', 'kubeconfig of the cluster (default: the service account of this pod)')
    .option('--context <name>', 'kubeconfig context to use (default: current)')
    .option('--server <url>', 'URL of the API server, instead of a kubeconfig')
    .option('--server-token-file <file>', 'file with the token for the API server; reread when it changes')
    .option('--server-ca-file <file>', 'CA certificate for the API server')
    .option('--state-dir <directory>', 'keep the bookmark in this directory, so that a restart continues from it')
    .option('--state-config-map <namespace/name>', 'keep the bookmark in this ConfigMap of the cluster')
    .option(
      '--node-class <group/version/plural/Kind...>',
      'node classes to watch, in addition to claims, nodes and pools',
    )
    .option('--cluster-requests', 'also watch requests for clusters (ClusterRequest)')
    .option('--probes <address:port>', 'address that serves /healthz, /readyz and /metrics, or off', '127.0.0.1:8471')
    .option('--log-level <level>', 'debug, info, warn, error or silent', levelValue);
