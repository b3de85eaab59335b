/** User data of one machine: the text of its class, with its variables filled in. */
import { defined } from '../base/defined.ts';
import { describeProblems } from '../base/problems.ts';
import { failed, ok, type Result } from '../base/result.ts';
import { rememberSecret } from '../base/secrets/known-secrets.ts';
import { parseTemplate, renderTemplate, secretKeys, type TemplateValues } from './template.ts';
import { type NodeFacts, nodeVariables } from './variables.ts';

export interface RenderParts {
  /** Where the text stands: `spec.userData`. */
  field: string;
  node: NodeFacts;
  /** The Secret whose keys that begin with `join-` may stand in the text. */
  secret: { namespace: string; name: string; read(): Promise<Result<Readonly<Record<string, string>>>> };
  /** Why a variable that exists has no value now, and what to do. */
  absent?: TemplateValues['absent'];
}

export async function renderUserData(
  userData: string,
  { field, node, secret: place, absent }: RenderParts,
): Promise<Result<string>> {
  const { template, problems } = parseTemplate(userData, field);
  if (problems.length > 0) return failed('invalid', describeProblems(problems), { problems, about: 'node-class' });
  const keys = secretKeys(template);
  const found = keys.length === 0 ? ok({}) : await place.read();
  const secretName = `${place.namespace}/${place.name}`;
  if (!found.ok) {
    const { kind, message, cause } = found.error;
    const text = `${field} needs ${keys.join(', ')} of the Secret ${secretName}: ${message}`;
    return failed(kind === 'not-found' ? 'not-ready' : kind, text, defined({ cause }));
  }
  const secret: Readonly<Record<string, string>> = found.value;
  for (const key of keys) rememberSecret(secret[key]);
  const values = { variables: nodeVariables(node), secret, secretName, ...defined({ absent }) };
  const made = renderTemplate(template, values, field);
  if (made.problems.length === 0) return ok(made.text);
  // The Secret may get its key any moment; everything else is for the class to change.
  const waits = keys.some((key) => secret[key] === undefined);
  const text = describeProblems(made.problems);
  return waits ? failed('not-ready', text) : failed('invalid', text, { problems: made.problems, about: 'node-class' });
}
