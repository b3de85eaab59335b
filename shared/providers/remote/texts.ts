/** What people read about the options of the provider. */
export const options = {
  'servers.<name>.endpoint':
    'the address of the server: `host:port`, or a URL with both. Calls go to all addresses of a name in turn.',
  'servers.<name>.type': 'what is behind the server, such as `vsphere`; for metrics.',
  'servers.<name>.plaintext': 'call the server without TLS. Anyone on the way can then read and change everything.',
  'servers.<name>.tls.directory':
    'a directory with `ca.crt`, `tls.crt` and `tls.key`, as a mounted Secret has them. They are read again when they change.',
  'servers.<name>.tls.ca':
    'the certificate authority of the server: a file, or the PEM itself. Default, without a certificate of ours: the public authorities.',
  'servers.<name>.tls.cert': 'our certificate: a file, or the PEM itself.',
  'servers.<name>.tls.key': 'its key: a file, or the PEM itself.',
  'servers.<name>.tls.serverName': "the name in the server's certificate, where it is not that of the endpoint.",
  'servers.<name>.tokenFile': 'a file with a bearer token; it is read with each call. It needs TLS.',
  'servers.<name>.rate.qps': 'how many calls per second one process makes. Default: `RATE_LIMIT_QPS`, else 10.',
  'servers.<name>.rate.burst': 'how many of them at once. Default: `RATE_LIMIT_BURST`, else 20.',
  'servers.<name>.breaker.failures':
    'the number of failures in a row after which the server is left alone for a while. Default: `CB_FAILURE_THRESHOLD`, else 10.',
  'servers.<name>.breaker.openSeconds': 'for how long. Default: `CB_RESET_SECONDS`, else 60.',
  'servers.<name>.breaker.testCalls':
    'the number of calls that must then succeed. Default: `CB_HALF_OPEN_MAX_CALLS`, else 3.',
  'servers.<name>.timeouts.<name>':
    'how long a call may take, by its name, such as `Create`. Default: `RPC_TIMEOUT_CREATE` and its like, else what VirtRigaud has.',
  clusterName: 'what user data calls this cluster. Default: `CLUSTER_NAME`, else its name in this file.',
  clusterEndpoint: 'the address of the API server that machines join, for user data.',
  clusterCA: 'the certificate authority of that API server, as PEM or base64 of it, for user data.',
  kubernetesVersion: 'the version of the cluster, for user data.',
  capabilitySeconds: 'how long the capabilities of a server are used before it is asked again. Default: 5m.',
  vmMemoryOverheadPercent: "the share of a machine's memory that its kernel keeps. Default: 0.05.",
  createsByName:
    'all servers answer a repeated create with the machine that is there, as `poolwright provider` does; a server that does not say so is not used then. It makes recovery after a crash faster. Default: false.',
};
