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

This is all that the functions of Poolwright may do in AWS. Each function has a role of its own, made by the stack from this list; who runs the
local host or the container gives the rights under [${clouds}](#who-may-what) to its identity. What they may do inside a cluster is another list:
[rights.md](rights.md).

- A missing right is named where it is missed: the claim's condition and the log say which action was refused, and on what.
- What is made in ${clouds} carries the tag \`poolwright.dev/deployment\` from its first moment, and only what carries it can be ended. Nothing that exists
  already can be tagged, so nothing foreign can become ours.
- \`workflows\`, which decides, may change nothing in a cloud. Only ${launchers} launches, and only it and \`collect-garbage\` terminate.
- Resources are named as narrowly as AWS allows; where it allows nothing but \`*\`, the reason is [below](#everything).
- Statements that depend on settings (\`infra/aws/<stage>.yml\`) are left out while the setting is empty.
- A test holds the packaged template against this list.
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
  const all = `## Who may what\n\n${head}\n${awsRights.map(row).join('\n')}\n`;
  const everything = awsRights
    .filter(({ anyResource }) => anyResource !== undefined)
    .map(({ id, anyResource }) => `| ${code(id)} | ${anyResource} |`);
  const reasons = `## Everything\n\nThese statements name the resource \`*\`.\n\n| statement | why |\n|---|---|\n${everything.join('\n')}\n`;
  return `${intro}\n${all}\n${reasons}`;
}

if (import.meta.main) {
  writeFileSync(awsRightsPage, generatedAwsRightsPage());
  console.log('docs/aws-rights.md is up to date');
}
