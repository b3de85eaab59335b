/** The part of @aws-sdk/client-iam that is used; loaded on first use, so that a function pays only for what it calls. */
import {
  AddRoleToInstanceProfileCommand,
  CreateInstanceProfileCommand,
  DeleteInstanceProfileCommand,
  GetInstanceProfileCommand,
  IAMClient,
  RemoveRoleFromInstanceProfileCommand,
  TagInstanceProfileCommand,
} from '@aws-sdk/client-iam';
import type { AwsClientOptions } from '../../../platforms/aws/client-options.ts';
import type { ExchangesOf, OpenClient } from './io.ts';

export type IamExchanges = ExchangesOf<
  typeof import('@aws-sdk/client-iam'),
  | 'AddRoleToInstanceProfile'
  | 'CreateInstanceProfile'
  | 'DeleteInstanceProfile'
  | 'GetInstanceProfile'
  | 'RemoveRoleFromInstanceProfile'
  | 'TagInstanceProfile'
>;

export function openIam(options: AwsClientOptions): OpenClient<IamExchanges> {
  const client = new IAMClient(options);
  return {
    senders: {
      AddRoleToInstanceProfile: (input, more) => client.send(new AddRoleToInstanceProfileCommand(input), more),
      CreateInstanceProfile: (input, more) => client.send(new CreateInstanceProfileCommand(input), more),
      DeleteInstanceProfile: (input, more) => client.send(new DeleteInstanceProfileCommand(input), more),
      GetInstanceProfile: (input, more) => client.send(new GetInstanceProfileCommand(input), more),
      RemoveRoleFromInstanceProfile: (input, more) =>
        client.send(new RemoveRoleFromInstanceProfileCommand(input), more),
      TagInstanceProfile: (input, more) => client.send(new TagInstanceProfileCommand(input), more),
    },
    prepare: () => client.config.credentials(),
    close: () => client.destroy(),
  };
}
