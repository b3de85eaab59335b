/** One role for each function, made from the list of rights. */
import type { Cfn } from '../../shared/platforms/aws/cloudformation.ts';
import { type FunctionName, functionNames, roleResource } from './function-names.ts';
import { type AwsRight, awsRights } from './rights.ts';
import type { Settings } from './settings.ts';

export interface Statement {
  Sid: string;
  Effect: 'Allow' | 'Deny';
  Action: readonly string[];
  Resource: readonly Cfn[];
  Condition?: ReturnType<NonNullable<AwsRight['condition']>>;
}

export function statementsOf(name: FunctionName, settings: Settings): Statement[] {
  return awsRights
    .filter(({ functions }) => functions.includes(name))
    .map(
      (right): Statement => ({
        Sid: right.id,
        Effect: right.effect ?? 'Allow',
        Action: right.actions,
        Resource: right.resources(settings, name),
        ...(right.condition === undefined ? {} : { Condition: right.condition(settings, name) }),
      }),
    )
    .filter(({ Resource }) => Resource.length > 0);
}

const trust = {
  Version: '2012-10-17',
  Statement: [{ Effect: 'Allow', Action: 'sts:AssumeRole', Principal: { Service: 'lambda.amazonaws.com' } }],
};

export const rolesFor = (settings: Settings): Record<string, object> =>
  Object.fromEntries(
    functionNames.map((name) => [
      roleResource(name),
      {
        Type: 'AWS::IAM::Role',
        Properties: {
          Description: `Permissions of the Poolwright function ${name}; docs/aws-rights.md explains each`,
          AssumeRolePolicyDocument: trust,
          Policies: [
            {
              PolicyName: 'poolwright',
              PolicyDocument: { Version: '2012-10-17', Statement: statementsOf(name, settings) },
            },
          ],
        },
      },
    ]),
  );
