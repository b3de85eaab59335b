/** Lists of what this site has none of: public addresses and rules that lead to VMs. Clients that show VMs ask for them. */

import { pageOf } from '../wire/pages.ts';
import type { Command } from './command.ts';

const common =
  'account:string domainid:uuid id:uuid isrecursive:boolean keyword:string listall:boolean page:integer pagesize:integer projectid:uuid';

const none = (name: string, item: string, params = ''): Command => ({
  name,
  isAsync: false,
  operation: 'types',
  params: `${common} ${params}`,
  run: ({ given }, { settings }) => pageOf(given, settings.pageSize, item, [], () => ({})),
});

export const publicAddressLists: readonly Command[] = [
  none('listPublicIpAddresses', 'publicipaddress', 'zoneid:uuid allocatedonly:boolean'),
  none('listIpForwardingRules', 'ipforwardingrule', 'ipaddressid:uuid virtualmachineid:uuid'),
  none('listPortForwardingRules', 'portforwardingrule', 'ipaddressid:uuid networkid:uuid'),
];
