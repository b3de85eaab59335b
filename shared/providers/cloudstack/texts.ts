/** What people read about the options of the provider. */
const instead = "For this cluster, instead of the provider's setting.";

export const options = {
  apiUrl:
    'the URL of the API, such as `https://cloud.example/client/api`. Default: `CLOUDSTACK_API_URL`, else the key `api-url` of the Secret.',
  'credentials.apiKeyFile': 'a file with the API key; it is read again when it changes.',
  'credentials.apiKeyVariable': 'the name of the variable with the API key. Default: `CLOUDSTACK_API_KEY`.',
  'credentials.secretKeyFile': 'a file with the secret key; it is read again when it changes.',
  'credentials.secretKeyVariable': 'the name of the variable with the secret key. Default: `CLOUDSTACK_SECRET_KEY`.',
  'credentials.namespace':
    'the namespace of the Secret with the credentials, where no file and no variable has them. Default: `karpenter`.',
  'credentials.secretName':
    'the name of that Secret, with the keys `api-url`, `api-key` and `secret-key`. Default: `cloudstack-credentials`.',
  verifySSL:
    'check the certificate of CloudStack. Default: `CLOUDSTACK_VERIFY_SSL`, else true. Without it, anyone on the way can pose as CloudStack.',
  certificateAuthority:
    'the certificate authority of CloudStack: a file, or the PEM itself. Default: the public authorities.',
  project: 'the project in which instances are created, by name or id. Default: none.',
  domain: 'the domain of `account`, by name, path or id. Default: that of the API key.',
  account: 'the account that owns the instances. Default: that of the API key.',
  clusterName: 'what CloudStack and user data call this cluster. Default: `CLUSTER_NAME`, else its name in this file.',
  clusterEndpoint: 'the address of the API server that instances join, for user data.',
  clusterCA: 'the certificate authority of that API server, as PEM or base64 of it, for user data.',
  kubernetesVersion: 'the version of the cluster, for user data.',
  requestsPerSecond:
    'how many API requests per second the provider sends at most. Set it below the limit of CloudStack (`api.throttling.max` in `api.throttling.interval`). Default: 25.',
  cacheSeconds: 'how long zones, networks, templates and offerings are used before they are read again. Default: 5m.',
  vmMemoryOverheadPercent: "the share of an instance's memory that its kernel keeps. Default: 0.05.",
  customIds:
    'choose the ids of instances, which makes a repeated create harmless. Only administrators may. Default: false.',
  expunge: 'delete instances at once and for good, where the account may. Default: true.',
  userDataLength:
    'the longest user data in base64, where the administrator has changed `vm.userdata.max.length`. Default: 32768.',
  affinityGroupMembers:
    'the most instances in one affinity group, where the administrator has set a limit; a pool has as many groups as it needs.',
  'priceTable.offerings.<name>': 'what an instance of a service offering costs per hour. `<name>` is its name or id.',
  'priceTable.perVcpu': 'what a CPU costs per hour, for offerings without a price of their own.',
  'priceTable.perGib': 'what a GiB of memory costs per hour.',
  'priceTable.perGpu': 'what a GPU costs per hour. Without it, the price of offerings with a GPU is unknown.',
  'priceTable.zones.<name>.perVcpu': 'the same in one zone. `<name>` is its name or id.',
  'priceTable.zones.<name>.perGib': 'the same in one zone.',
  'priceTable.zones.<name>.perGpu': 'the same in one zone.',
};

export const perCluster = {
  apiUrl: instead,
  project: instead,
  domain: instead,
  account: instead,
  clusterName: 'What CloudStack and user data call this cluster.',
  clusterEndpoint: 'The API server that instances join, for user data.',
  clusterCA: 'Its certificate authority, for user data.',
  kubernetesVersion: instead,
};
