/** Stands in for the AWS CLI, version 2: see `strict.ts`. */
import { copyFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { byQuery, fileOf, fromTest, isMarked, mark, standIn } from './strict.ts';

const made = '.serverless/cloudformation-template-update-stack.json';

/** What the template that was packaged says that it gives back; any other name would be empty. */
function outputOf(query: string): string {
  const [, name = ''] = /^Stacks\[0\]\.Outputs\[\?OutputKey=='(\w+)'\]\.OutputValue$/.exec(query) ?? [];
  const { Outputs: outputs } = JSON.parse(readFileSync(made, 'utf8'));
  if (outputs[name] === undefined) throw new Error(`the stack has no output ${name}`);
  return name === 'HttpApiUrl' ? fromTest('DOCS_HOST_URL') : `the-${name}`;
}

const isJson = (text: string): boolean => {
  try {
    return typeof JSON.parse(text) === 'object';
  } catch {
    return false;
  }
};

standIn('aws', {
  'eks describe-cluster': {
    required: ['--name'],
    optional: ['--query', '--output'],
    answer: byQuery({ 'cluster.accessConfig.authenticationMode': () => 'API' }),
  },
  'eks create-access-entry': { required: ['--cluster-name', '--principal-arn'], optional: ['--type'] },
  'eks delete-access-entry': { required: ['--cluster-name', '--principal-arn'] },
  'eks update-kubeconfig': {
    required: ['--name'],
    answer: () => {
      const config = join(fromTest('HOME'), '.kube/config');
      mkdirSync(dirname(config), { recursive: true });
      copyFileSync(fromTest('DOCS_KUBECONFIG'), config);
      return `Added new context to ${config}`;
    },
  },
  'iam create-role': {
    required: ['--role-name', '--assume-role-policy-document'],
    refuse: ({ '--assume-role-policy-document': document = '' }) => (isJson(document) ? undefined : 'no JSON'),
    answer: ({ '--role-name': role = '' }) => {
      mark(`role ${role}`);
      return '';
    },
  },
  'iam attach-role-policy': {
    required: ['--role-name', '--policy-arn'],
    refuse: ({ '--role-name': role = '' }) => (isMarked(`role ${role}`) ? undefined : `no role ${role}`),
  },
  'iam list-instance-profiles-for-role': {
    required: ['--role-name'],
    optional: ['--query', '--output'],
    answer: byQuery({ 'InstanceProfiles[].InstanceProfileName': () => 'poolwright_1' }),
  },
  'iam remove-role-from-instance-profile': { required: ['--instance-profile-name', '--role-name'] },
  'iam delete-instance-profile': { required: ['--instance-profile-name'] },
  'iam detach-role-policy': { required: ['--role-name', '--policy-arn'] },
  'iam delete-role': { required: ['--role-name'] },
  'sts get-caller-identity': {
    optional: ['--query', '--output'],
    answer: byQuery({ Account: () => '111122223333' }),
  },
  'ssm put-parameter': {
    required: ['--name', '--value'],
    optional: ['--type'],
    refuse: fileOf('--value'),
  },
  'ssm delete-parameters': { lists: ['--names'], required: ['--names'] },
  'cloudformation describe-stacks': {
    required: ['--stack-name'],
    optional: ['--query', '--output'],
    refuse: ({ '--stack-name': stack = '' }) =>
      isMarked(`stack ${stack}`) && existsSync(made) ? undefined : `Stack with id ${stack} does not exist`,
    answer: ({ '--query': query = '' }) => outputOf(query),
  },
  'dynamodb delete-table': { required: ['--table-name'] },
  'ec2 describe-launch-templates': {
    lists: ['--filters'],
    optional: ['--query', '--output'],
    answer: byQuery({ 'LaunchTemplates[].LaunchTemplateId': () => 'lt-1\tlt-2' }),
  },
  'ec2 delete-launch-template': { required: ['--launch-template-id'] },
});
