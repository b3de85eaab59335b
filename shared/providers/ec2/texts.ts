/** What people read about the options of the provider. */
const instead = "For this cluster, instead of the provider's setting.";

export const options = {
  region: 'the region, such as `eu-west-1`. Default: `AWS_REGION`.',
  clusterName: 'the name of the EKS cluster. Default: `EKS_CLUSTER_NAME`.',
  clusterEndpoint: 'the address of the API server that instances join. Default: what EKS says.',
  clusterCA: 'the certificate authority of that API server, as PEM or base64 of it. Default: what EKS says.',
  kubernetesVersion: 'the version to select images for, such as `1.34`. Default: what EKS says.',
  serviceCidr: "the address range of services, from which the cluster's DNS address follows. Default: what EKS says.",
  interruptionQueue:
    'the URL or the name of the SQS queue that EventBridge sends interruptions to. Without it, no queue is watched.',
  endpoint: "the address of AWS's services, for a stand-in or a private endpoint. Default: `AWS_ENDPOINT_URL`.",
  roleArn: 'a role to assume for every call. Default: the credentials of the process.',
  externalId: 'the external id that the trust policy of that role requires.',
  serveEc2NodeClasses:
    'serve claims with an EC2NodeClass. Set it only where Karpenter does not run, because there these classes belong to Karpenter. Default: false.',
  vmMemoryOverheadPercent: "the share of an instance's memory that its hypervisor keeps. Default: 0.075.",
  reservedENIs: 'network interfaces that provide no pod addresses. Default: 0.',
  'requestRates.<name>.burst':
    'how many calls of this action may be made at once. `<name>` is the name of the action, such as `CreateFleet`.',
  'requestRates.<name>.perSecond': 'how many more calls each second adds.',
  prices: 'read retail prices. Without them prices are unknown. Default: true.',
};

export const perCluster = {
  region: instead,
  clusterName: 'The EKS cluster that instances join.',
  clusterEndpoint: instead,
  clusterCA: instead,
  kubernetesVersion: instead,
  serviceCidr: instead,
  interruptionQueue: instead,
};
