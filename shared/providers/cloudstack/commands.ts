/**
 * Every command of CloudStack that the provider calls, and why: the one list. The doctor compares it with what the account may call, and
 * the role in docs and infra is generated from it.
 */
export interface NeededCommand {
  readonly command: string;
  readonly why: string;
  /** Without it something is missing, but machines are made and deleted; what, is said by `why`. */
  readonly optional?: true;
}

export const neededCommands: readonly NeededCommand[] = [
  { command: 'listApis', why: 'checks which of these commands the account may call', optional: true },
  { command: 'listCapabilities', why: 'tells the version and the limits of this CloudStack', optional: true },
  { command: 'listZones', why: 'finds the zones of a node class' },
  { command: 'listNetworks', why: 'finds the networks of a node class' },
  { command: 'listTemplates', why: 'finds the templates of a node class' },
  { command: 'listServiceOfferings', why: 'finds the offerings of a node class, which become instance types' },
  { command: 'listDiskOfferings', why: 'finds the disk offerings of data volumes', optional: true },
  { command: 'listSSHKeyPairs', why: 'checks that the key pair of a node class exists', optional: true },
  { command: 'listSecurityGroups', why: 'finds the security groups of a node class', optional: true },
  { command: 'listProjects', why: 'finds the project of the configuration, and its limits', optional: true },
  { command: 'listDomains', why: 'finds the domain of the configuration, and its limits', optional: true },
  { command: 'listAccounts', why: 'tells who the account is, and its limits', optional: true },
  { command: 'listCapacity', why: 'tells what is left in a zone; only administrators may call it', optional: true },
  { command: 'deployVirtualMachine', why: 'makes an instance' },
  { command: 'listVirtualMachines', why: 'finds the instances of a claim' },
  { command: 'destroyVirtualMachine', why: 'deletes an instance' },
  { command: 'queryAsyncJobResult', why: 'tells how a job ended' },
  { command: 'createTags', why: 'writes on an instance and its volumes whose they are' },
  { command: 'listVolumes', why: 'finds the data volumes of an instance, which are deleted with it' },
  {
    command: 'deleteVolume',
    why: 'deletes data volumes of instances that ended without us, such as by their lease',
    optional: true,
  },
  { command: 'listAffinityGroups', why: 'finds affinity groups', optional: true },
  { command: 'createAffinityGroup', why: 'makes the affinity group of a NodePool', optional: true },
  {
    command: 'deleteAffinityGroup',
    why: 'deletes the affinity group of a NodePool that has no instances',
    optional: true,
  },
  {
    command: 'deleteTags',
    why: 'gives a tag of the node class its value again after a user has changed it; without it the instance counts as changed',
    optional: true,
  },
  { command: 'listInstanceGroups', why: 'finds the instance group of a cluster that has no instances', optional: true },
  {
    command: 'deleteInstanceGroup',
    why: 'deletes the instance group of a cluster that has no instances',
    optional: true,
  },
];
