/** What CloudStack says of the things that a class selects: the fields that we read, under CloudStack's own names. */

export type ResourceTag = { key: string; value: string };

export type Zone = {
  id: string;
  name: string;
  allocationstate?: string;
  networktype?: string;
  securitygroupsenabled?: boolean;
};

export type Network = {
  id: string;
  name: string;
  type?: string;
  state?: string;
  zoneid?: string;
  canusefordeploy?: boolean;
  tags?: ResourceTag[];
};

export type Template = {
  id: string;
  name: string;
  zoneid?: string;
  isready?: boolean;
  ostypename?: string;
  hypervisor?: string;
  arch?: string;
  size?: number;
  created?: string;
  /** Of user data that is linked to it. */
  userdataid?: string;
  tags?: ResourceTag[];
};

export type ServiceOffering = {
  id: string;
  name: string;
  created?: string;
  state?: string;
  cpunumber?: number;
  cpuspeed?: number;
  memory?: number;
  iscustomized?: boolean;
  hosttags?: string;
  storagetags?: string;
  networkrate?: number;
  rootdisksize?: number;
  zoneid?: string;
  gpucardid?: string;
  gpucardname?: string;
  gpucount?: number;
  vgpuprofileid?: string;
  vgpuprofilename?: string;
  serviceofferingdetails?: { [key: string]: string };
};

export type DiskOffering = { id: string; name: string; iscustomized?: boolean; disksize?: number; state?: string };

/** Groups, projects, domains: what is only found by its name. */
export type Named = { id: string; name: string };
export type Domain = Named & { path?: string };
