/**
 * Writes what an account at CloudStack has to be allowed: a page, and a role as rules, from the list in
 * shared/providers/cloudstack/commands.ts. Run it after a change there; a test fails while the files are stale.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../..');

interface NeededCommand {
  command: string;
  why: string;
  optional?: true;
}

/** The list is in the folder of the provider, as all that is special to one. */
export const { neededCommands }: { neededCommands: readonly NeededCommand[] } = await import(
  join(root, 'shared/providers/cloudstack/commands.ts')
);

export const rightsPage = join(root, 'docs/cloudstack-rights.md');
export const roleFile = join(root, 'infra/cloudstack/role.json');
export const roleRulesFile = join(root, 'infra/cloudstack/role.csv');

/** In the order of the list: CloudStack takes the first rule that matches, and refuses what none matches. */
const rules = neededCommands.map(({ command, why }) => ({ rule: command, permission: 'allow', description: why }));

const quoted = (text: string): string => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

/** As CloudStack's own page for roles imports it. */
export const roleRules = (): string =>
  [
    'rule,permission,description',
    ...rules.map((one) => [one.rule, one.permission, one.description].map(quoted).join(',')),
  ]
    .join('\n')
    .concat('\n');

/** The parameters of importRole. */
export const role = (): string =>
  `${JSON.stringify({ name: 'Poolwright', type: 'User', description: 'What Poolwright needs to create and delete nodes', rules }, null, 2)}\n`;

const row = ({ command, why, optional }: NeededCommand): string =>
  `| \`${command}\` | ${why}${optional ? ' *(optional)*' : ''} |`;

export const generatedRightsPage =
  (): string => `<!-- Made by \`npm run generate\` from shared/providers/cloudstack/commands.ts. Change it there. -->

# Rights at CloudStack

These are all API commands that [the cloudstack provider](providers/cloudstack.md) calls. Its account needs nothing else. Without an *optional* one, only
what the reason says is missing. \`poolwright doctor\` asks CloudStack which commands the account may call (\`listApis\`), and names what is missing.

The default role \`User\` of CloudStack allows all of them but \`listCapacity\`. To allow no more than these, import a role of its own and give it to the account:

\`\`\`sh
# infra/cloudstack/role.csv: the rules for Roles > Import role in the UI.
# infra/cloudstack/role.json: the same for the API, here with CloudMonkey.
cmk import role name=Poolwright type=User $(jq -r '.rules | to_entries[] | "rules[\\(.key)].rule=\\(.value.rule) rules[\\(.key)].permission=\\(.value.permission)"' infra/cloudstack/role.json)
\`\`\`

| command | why |
|---|---|
${neededCommands.map(row).join('\n')}

- **Ids of our own** (\`customIds\`) need a role of type \`Admin\`: CloudStack lets only administrators choose the id of an instance.
- **Deleting for good** (\`expunge\`) needs the setting \`allow.user.expunge.recover.vm\`, or an administrator. Without it, CloudStack keeps a deleted instance
  until its own time is up, and the provider counts it as gone.
- **Another owner** (\`domain\` and \`account\`) needs an account that may deploy for others: a domain administrator.
`;

if (import.meta.main) {
  writeFileSync(rightsPage, generatedRightsPage());
  writeFileSync(roleFile, role());
  writeFileSync(roleRulesFile, roleRules());
  console.log('docs/cloudstack-rights.md and the role in infra/cloudstack are up to date');
}
