/**
 * Secrets are named by references, and never stand in a template: `arn:aws:secretsmanager:…`, `secretsmanager:name`, `ssm:/path`. Which
 * secrets the functions may read follows from the references alone.
 */

import { type Cfn, sub } from '../../shared/platforms/aws/cloudformation.ts';
import { parseSecretReference, type SecretReference } from '../../shared/platforms/aws/secret-reference.ts';

/** Whether it is one that can be followed. */
export const isReference = (text: string): boolean => parseSecretReference(text).ok;

/** A variable may hold several: one that replaces another is valid beside it for a while. No name of a secret has a comma. */
export const partsOf = (text: string): string[] => text.split(',').map((part) => part.trim());

/** The secrets of Secrets Manager among them, as IAM knows them. */
export const secretResources = (references: readonly string[]): Cfn[] =>
  // Secrets Manager puts a dash and six characters behind the name of every secret.
  resources(references, 'secretsmanager', (name) => `secret:${name}-??????`);

/** The parameters among them, as IAM knows them. */
export const parameterResources = (references: readonly string[]): Cfn[] =>
  resources(references, 'ssm', (name) => `parameter/${name.replace(/^\//, '')}`);

function resources(
  references: readonly string[],
  store: SecretReference['store'],
  resource: (name: string) => string,
): Cfn[] {
  return references.flatMap((text): Cfn[] => {
    const parsed = parseSecretReference(text);
    if (!parsed.ok || parsed.value.store !== store) return [];
    const { id } = parsed.value;
    if (id.startsWith('arn:')) return [id];
    return [sub(`arn:\${AWS::Partition}:${store}:\${AWS::Region}:\${AWS::AccountId}:${resource(id)}`)];
  });
}

/** Every reference within any value, each once, in order. */
export function referencesIn(value: unknown): string[] {
  if (typeof value === 'string') return partsOf(value).filter(isReference);
  if (typeof value !== 'object' || value === null) return [];
  return [...new Set(Object.values(value).flatMap(referencesIn))].sort();
}
