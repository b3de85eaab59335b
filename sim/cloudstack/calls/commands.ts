/** Every command that the stand-in knows, and listApis, which tells an account which of them it may call. */
import { defined } from '../../../shared/base/defined.ts';
import type { JsonObject } from '../../../shared/base/json.ts';
import type { Account } from '../site/types.ts';
import { listOf } from '../wire/answer.ts';
import { invalid } from '../wire/refusals.ts';
import { listCapacity, listHosts } from './capacity.ts';
import { type Command, parametersOf } from './command.ts';
import { deployVirtualMachine } from './deploy.ts';
import { isAdmin } from './finding.ts';
import { groupCalls } from './group-calls.ts';
import { instanceGroupCalls } from './instance-group-calls.ts';
import { jobCalls } from './job-calls.ts';
import { listResourceLimits } from './limits.ts';
import { siteLists } from './lists.ts';
import { peopleCalls } from './people.ts';
import { publicAddressLists } from './public-addresses.ts';
import { tagCalls } from './tag-calls.ts';
import { destroyVirtualMachine, expungeVirtualMachine, recoverVirtualMachine } from './vm-ends.ts';
import { listVirtualMachines } from './vm-lists.ts';
import { powerCalls } from './vm-power.ts';
import { volumeCalls } from './volume-calls.ts';

const listApis: Command = {
  name: 'listApis',
  isAsync: false,
  operation: 'types',
  params: 'name:string',
  run: ({ given, caller }) => {
    const name = given.text('name');
    const found = [...commands.values()].filter(
      (command) => mayCall(caller, command) && (name === undefined || command.name === name),
    );
    if (name !== undefined && found.length === 0)
      throw invalid(`The api ${name} does not exist or is not available for the account`);
    return listOf('api', found.map(describe));
  },
};

const describe = (command: Command): JsonObject =>
  defined({
    name: command.name,
    description: '',
    isasync: command.isAsync,
    params: parametersOf(command).map(({ name, type, required }) => ({
      name,
      description: '',
      type,
      length: 255,
      required,
    })),
    response: [],
  });

export const commands: ReadonlyMap<string, Command> = new Map(
  [
    listApis,
    ...siteLists,
    ...publicAddressLists,
    ...peopleCalls,
    listCapacity,
    listHosts,
    listResourceLimits,
    listVirtualMachines,
    deployVirtualMachine,
    destroyVirtualMachine,
    expungeVirtualMachine,
    recoverVirtualMachine,
    ...powerCalls,
    ...jobCalls,
    ...tagCalls,
    ...groupCalls,
    ...instanceGroupCalls,
    ...volumeCalls,
  ].map((command) => [command.name, command]),
);

/** listApis is for everybody. */
export const mayCall = (account: Account, { name, adminOnly = false }: Command): boolean =>
  name === 'listApis' || ((isAdmin(account) || !adminOnly) && !account.denied.includes(name));
