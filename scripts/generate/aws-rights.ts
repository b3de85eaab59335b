/** Writes docs/aws-rights.md from the list in infra/aws/rights.ts. Run it after a change there; a test fails while the page is stale. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { functionNames, provisionFunction } from '../../infra/aws/function-names.ts';
import { stackOf } from '../../infra/aws/provider-stacks.ts';
import { type AwsRight, awsRights } from '../../infra/aws/rights.ts';
import { deployedProviders } from '../../shared/providers/deployed.ts';

export const awsRightsPage = join(import.meta.dirname, '../../docs/aws-rights.md');

const here = deployedProviders.filter(({ type }) => stackOf(type) !== undefined);
const clouds = here.map(({ type }) => type.toUpperCase()).join(', ');
const launchers = here.map(({ type }) => `\`${provisionFunction(type)}\``).join(', ');

const intro = `<!-- Made by \`npm run generate\` from infra/aws/rights.ts. Change it there. -->

# Rights in AWS

These are all permissions of Poolwright's functions in AWS. Each function has its own role, which the stack creates from this list. If you run the
local host or the container, give its identity the permissions of ${clouds} [below](#permissions). The permissions inside a cluster are in
[rights.md](rights.md).

- If a right is missing, the claim's condition and the log name the refused action and its resource.
- Poolwright tags everything that it creates in ${clouds} with \`poolwright.dev/deployment\` on creation, and can delete only resources with that tag. It can't tag existing
  resources, so it can't take over resources of others; the statement \`Adopt\` is the exception, and is off by default.
- The function \`workflows\` can't change anything in a cloud. Only ${launchers} launches instances, and only it and \`collect-garbage\` terminate them.
- Resources are as narrow as AWS allows. For each statement with \`*\`, the reason is [below](#statements-for-all-resources).
- Statements that depend on settings (\`infra/aws/<stage>.yml\`) are omitted while the setting is empty.
- A test compares the packaged template with this list.
`;

const code = (text: string): string => `\`${text}\``;

/** A wish of all functions, or all but some, is easier to read so. */
function functionsOf({ functions }: AwsRight): string {
  const others = functionNames.filter((name) => !functions.includes(name));
  if (others.length === 0) return 'all';
  if (others.length <= 2) return `all but ${others.map(code).join(', ')}`;
  return functions.map(code).join(', ');
}

function row(right: AwsRight): string {
  const { id, effect, actions, on, onlyIf, why } = right;
  const verb = effect === 'Deny' ? '**never** ' : '';
  const target = onlyIf === undefined ? on : `${on}; only if ${onlyIf}`;
  return `| ${code(id)} | ${functionsOf(right)} | ${verb}${actions.map(code).join(', ')} | ${target} | ${why} |`;
}

export function generatedAwsRightsPage(): string {
  const head = '| statement | functions | actions | on | what it is for |\n|---|---|---|---|---|';
  const all = `## Permissions\n\n${head}\n${awsRights.map(row).join('\n')}\n`;
  const everything = awsRights
    .filter(({ anyResource }) => anyResource !== undefined)
    .map(({ id, anyResource }) => `| ${code(id)} | ${anyResource} |`);
  const reasons = `## Statements for all resources\n\nThese statements name the resource \`*\`.\n\n| statement | why |\n|---|---|\n${everything.join('\n')}\n`;
  return `${intro}\n${all}\n${reasons}`;
}

if (import.meta.main) {
  writeFileSync(awsRightsPage, generatedAwsRightsPage());
  console.log('docs/aws-rights.md is up to date');
}
