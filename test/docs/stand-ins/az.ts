/** Stands in for the Azure CLI, as of 2.60: see `strict.ts`. */
import { copyFileSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { byQuery, fileOf, fromTest, isMarked, mark, standIn } from './strict.ts';

const vaultId = '/subscriptions/s/resourceGroups/gpu/providers/Microsoft.KeyVault/vaults/poolwright-office';

/** What the template says that it gives back; any other name would be empty. */
const outputs: Record<string, () => string> = {
  functionAppName: () => 'poolwright-office',
  url: () => fromTest('DOCS_HOST_URL'),
  keyVaultName: () => 'poolwright-office',
  principalId: () => fromTest('DOCS_PRINCIPAL'),
};

function outputOf(query: string): string {
  const [, name = ''] = /^properties\.outputs\.(\w+)\.value$/.exec(query) ?? [];
  const template = readFileSync('infra/azure/main.bicep', 'utf8');
  const value = outputs[name];
  if (value === undefined || !template.includes(`output ${name} `)) throw new Error(`no output ${name}`);
  return value();
}

standIn('az', {
  login: {},
  'deployment group create': {
    required: ['--resource-group', '--name', '--parameters'],
    lists: ['--parameters'],
    optional: ['--output'],
    refuse: ({ '--parameters': parameters = '', ...options }) => {
      const [file = '', ...values] = parameters.split(' ');
      if (values.some((value) => !/^\w+=/.test(value))) return `${parameters}: no name=value`;
      // A reference to a secret that does not exist stays unresolved for a day.
      if (
        !values.includes('secretSettings={}') &&
        !['http-token', 'east-intake'].every((name) => isMarked(`secret ${name}`))
      )
        return 'the app would refer to secrets that do not exist yet';
      return fileOf('--parameters')({ ...options, '--parameters': file });
    },
    answer: ({ '--name': name = '' }) => {
      mark(`deployment ${name}`);
      return '';
    },
  },
  'deployment group show': {
    required: ['--resource-group', '--name', '--query'],
    optional: ['--output'],
    refuse: ({ '--name': name = '' }) => (isMarked(`deployment ${name}`) ? undefined : `no deployment ${name}`),
    answer: ({ '--query': query = '' }) => outputOf(query),
  },
  'keyvault show': {
    required: ['--name'],
    optional: ['--query', '--output'],
    answer: byQuery({ id: () => vaultId }),
  },
  'keyvault secret set': {
    required: ['--vault-name', '--name', '--file'],
    optional: ['--encoding', '--output'],
    refuse: (options) =>
      isMarked('Key Vault Secrets Officer') ? fileOf('--file')(options) : 'Forbidden: no right to set secrets',
    answer: ({ '--name': name = '' }) => {
      mark(`secret ${name}`);
      return '';
    },
  },
  'keyvault purge': { required: ['--name'] },
  'ad signed-in-user show': {
    optional: ['--query', '--output'],
    answer: byQuery({ id: () => '22222222-2222-4222-8222-222222222222' }),
  },
  'role assignment create': {
    required: ['--role', '--assignee', '--scope'],
    optional: ['--output'],
    answer: ({ '--role': role = '' }) => {
      mark(role);
      return '';
    },
  },
  'role assignment list': {
    optional: ['--assignee', '--query', '--output'],
    switches: ['--all'],
    answer: byQuery({ '[].id': () => '/a/1\n/a/2' }),
  },
  'role assignment delete': { lists: ['--ids'], required: ['--ids'] },
  'role definition list': {
    optional: ['--query', '--output'],
    switches: ['--custom-role-only'],
    answer: byQuery({ "[?contains(roleName, '(office, ')].name": () => 'role-1' }),
  },
  'role definition delete': { required: ['--name'] },
  'aks get-credentials': {
    required: ['--resource-group', '--name'],
    answer: () => {
      const config = join(fromTest('HOME'), '.kube/config');
      mkdirSync(dirname(config), { recursive: true });
      copyFileSync(fromTest('DOCS_KUBECONFIG'), config);
      return `Merged "east" as current context in ${config}`;
    },
  },
  'functionapp delete': { required: ['--resource-group', '--name'] },
  'resource list': {
    required: ['--resource-group'],
    optional: ['--query', '--output'],
    answer: byQuery({ '[?tags."poolwright-deployment"==\'office\'].id': () => `${vaultId}\n/b/2` }),
  },
  'resource delete': { lists: ['--ids'], required: ['--ids'] },
});
