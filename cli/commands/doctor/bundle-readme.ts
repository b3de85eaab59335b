/** The page in an archive that says what is in it, what is not, and what was taken out. */
import { printable } from '../../terminal/text-table.ts';
import { version } from '../../version.ts';

export interface Contents {
  files: readonly { name: string; what: string }[];
  missing: readonly { name: string; what: string; why: string }[];
  at: number;
}

export function readme({ files, missing, at }: Contents): string {
  const lines = (items: readonly string[]): string => items.map((item) => `- ${item}\n`).join('');
  const absent =
    missing.length === 0
      ? ''
      : `\n## What could not be read\n\n${lines(missing.map(({ name, what, why }) => `\`${name}\` (${what}): ${printable(why)}`))}`;
  return `# A bundle of poolwright ${version}

Made at ${new Date(at).toISOString()} by \`poolwright doctor bundle\`.

## What is in it

${lines(files.map(({ name, what }) => `\`${name}\`: ${printable(what)}`))}${absent}
## What was taken out

- Values of fields whose name suggests a secret: tokens, passwords, keys, credentials, user data.
- Texts that look like one: bearer tokens, JSON Web Tokens, private keys and certificates, passwords in URLs, keys of clouds, \`NAME_SECRET=value\`.
- The token of the host, secrets of the configuration file and secrets in the environment of the command, wherever they appeared.
- \`managedFields\` and kubectl's last-applied-configuration annotation.

Each of them was replaced by \`[redacted]\`. Names of clusters, nodes, claims, pools and instances are still there. Lists are truncated:
at most a thousand objects of each kind, five hundred workflows and two hundred dead letters.

Review it before you send it to anyone.
`;
}
