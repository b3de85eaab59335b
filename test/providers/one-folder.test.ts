/** A provider is its folder: whatever else names one is on a short list here. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { deployedProviders } from '../../shared/providers/deployed.ts';

const root = join(import.meta.dirname, '../..');

/** Its code, what it shares with a relative, its part of the simulated world, and the module of Bicep that lets it into a cluster. */
const own = (folders: string, scene: string): RegExp =>
  new RegExp(
    `^(shared/providers/(${folders})|sim/${scene})/|^sim/scenes/${scene}|^infra/azure/modules/(${folders})-access`,
  );
const ownFolders: Readonly<Record<string, RegExp>> = {
  // Arc serves the node class of AKS too. Whole clusters are those of AKS, and their nodes have the node class of Karpenter there: that
  // is what its provisioner in the new cluster reads, whether or not we have a provider for AKS.
  aks: new RegExp(`${own('aks|arc|agent-pools', 'azure').source}|^shared/clusters/|^cli/commands/convert/`),
  arc: own('arc|agent-pools', 'azure'),
  ec2: own('ec2', 'aws'),
  // The page and the role that are made from its list of commands are its own too.
  cloudstack: new RegExp(`${own('cloudstack', 'cloudstack').source}|^scripts/generate/cloudstack-`),
  remote: own('remote', 'remote'),
};

/** Made by `npm run generate` from the manifests and what they load; tests compare. */
const generated = /^infra\/(kubernetes\/(crds|rbac)\/|azure\/roles\.json$)|^events\/generated\//;

/** The two lists of providers, and for the rest the reason. */
const lists = ['shared/providers/manifests.ts', 'sim/scenes/scenes.ts'];
const allowed: Readonly<Record<string, readonly string[]>> = {
  // An example has to choose a provider.
  ec2: [...lists, 'infra/aws/example.yml'],
  // A check of a host by its name.
  cloudstack: [...lists, 'functions/hosts/common/checks/cloud-health.ts'],
  // The setting of the Helm chart that chooses between these two.
  // A word like others: the lists name its folder.
  remote: [],
  aks: [...lists, 'shared/kube/cluster-settings.ts'],
  arc: [...lists, 'shared/kube/cluster-settings.ts'],
};

/**
 * More than the three: what runs before any code of ours does. Helm checks the same setting of the chart, and Bicep can't read a
 * manifest: a module may not be chosen by a name that is computed, and the type of a parameter is written where it is declared.
 */
const beforeOurCode: Readonly<Record<string, readonly string[]>> = {
  ec2: [],
  cloudstack: [],
  remote: [],
  aks: [
    'infra/azure/main.bicep',
    'infra/kubernetes/chart/templates/settings.yaml',
    'infra/kubernetes/chart/values.schema.json',
    // The default of that setting.
    'infra/kubernetes/chart/values.yaml',
    // The kinds that the webhook judges are rules of its configuration.
    'infra/kubernetes/chart/templates/webhook.yaml',
  ],
  arc: [
    'infra/azure/main.bicep',
    'infra/kubernetes/chart/templates/settings.yaml',
    'infra/kubernetes/chart/values.schema.json',
  ],
};

/** The kinds that Karpenter's provisioners serve: they are rivals whether or not we have a provider for the same cloud. */
const rivals = 'shared/ownership/rivals.ts';

const withoutComments = (text: string): string =>
  text.replaceAll(/\/\*[\s\S]*?\*\//g, '').replaceAll(/(^|\s)(\/\/|#).*$/gm, '$1');

const product = [
  ...globSync('{cli,events,functions,infra,scripts,shared,sim}/**/*.{ts,js,bicep,yml,yaml,json,tpl}', {
    cwd: root,
    exclude: ['**/node_modules'],
  }),
  'serverless.yml',
  'host.json',
]
  .filter((file) => !file.endsWith('.test.ts') && file !== rivals && !generated.test(file))
  .map((file) => ({ file, text: withoutComments(readFileSync(join(root, file), 'utf8')) }));

/**
 * The type, and names that are made of it: `provision-ec2`, `ProvisionEc2Role`, `EC2NodeClass`. A path, an image, an action of AWS
 * (`ec2:RunInstances`) and a source of events (`aws.ec2`) are names of others, and `EC2` alone is what people call the cloud.
 */
/** What people write without a thought of the provider. */
const isWord = (type: string): boolean => type === 'remote';

const namedIn = (type: string, text: string): boolean =>
  (isWord(type)
    ? new RegExp(`type: '${type}'`)
    : new RegExp(String.raw`(?<![\w/.\\-])(provision-)?${type}(?![\w/.\\:-])`)
  ).test(text) ||
  new RegExp(`provision-?${type}(?![a-z])|(?<![a-z])${type}nodeclass`, 'i').test(text) ||
  new RegExp(`Provision${type.charAt(0).toUpperCase()}${type.slice(1)}(?![a-z])`).test(text);

test('every deployed provider is held to it', () => {
  const types = deployedProviders.map(({ type }) => type).sort();
  for (const table of [ownFolders, allowed, beforeOurCode]) expect(Object.keys(table).sort()).toEqual(types);
});

test.each(Object.keys(ownFolders))('at most three product files outside its own folders name %s', (type) => {
  const files = product.filter(({ file, text }) => !ownFolders[type]?.test(file) && namedIn(type, text));
  const known = [...(allowed[type] ?? []), ...(beforeOurCode[type] ?? [])];
  expect(files.map(({ file }) => file).sort()).toEqual(known.sort());
  expect(allowed[type]?.length).toBeLessThanOrEqual(3);
});

test.each([
  ["type: 'ec2'", true],
  ['Fn::GetAtt: [ProvisionEc2Role, Arn]', true],
  ['such as EC2NodeClass/default', true],
  ['ec2nodeclasses.karpenter.k8s.aws', true],
  ['ec2:RunInstances', false],
  ['AWS has EC2', false],
])('%s names ec2: %s', (text, is) => {
  expect(namedIn('ec2', text)).toBe(is);
});
