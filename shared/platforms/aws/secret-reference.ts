/**
 * Where a secret lies at AWS, as a configuration names it, so that the secret itself stands in no file and no template:
 *
 * - `arn:aws:secretsmanager:eu-west-1:111122223333:secret:poolwright/dev-AbCdEf`, or `secretsmanager:poolwright/dev`
 * - `arn:aws:ssm:eu-west-1:111122223333:parameter/poolwright/dev`, or `ssm:/poolwright/dev`
 *
 * Each may end with `#key`: the secret is then the text under that key of a JSON object.
 */
import { failed, ok, type Result } from '../../base/result.ts';

export interface SecretReference {
  /** As it was written; it is no secret. */
  text: string;
  store: 'secretsmanager' | 'ssm';
  /** What the store is asked for: a name or an ARN. */
  id: string;
  /** Of an ARN; a name lies where we are. */
  region?: string;
  key?: string;
}

const anyReference = /^(arn:aws[a-z-]*:(secretsmanager|ssm):|secretsmanager:|ssm:)/;
const arn = /^arn:aws[a-z-]*:(secretsmanager|ssm):([a-z0-9-]+):\d{12}:(secret:|parameter\/).+$/;
const ownName = { secretsmanager: /^[\w/+=.@-]{1,512}$/, ssm: /^\/?[\w./-]{1,1011}$/ } as const;

/** Whether the text is meant as a reference, right or wrong. */
export const isSecretReference = (text: string): boolean => anyReference.test(text);

export function parseSecretReference(text: string): Result<SecretReference> {
  const hash = text.indexOf('#');
  const place = hash < 0 ? text : text.slice(0, hash);
  const key = hash < 0 ? undefined : text.slice(hash + 1);
  const wrong = (what: string) => failed('invalid', `the reference ${JSON.stringify(text)} ${what}`);
  if (key === '') return wrong('ends with "#"; add the key of the JSON object, or remove the "#"');
  const more = key === undefined ? {} : { key };
  if (place.startsWith('arn:')) {
    const [, store, region] = arn.exec(place) ?? [];
    if ((store !== 'secretsmanager' && store !== 'ssm') || region === undefined) {
      return wrong(
        'is not the ARN of a secret (arn:aws:secretsmanager:<region>:<account>:secret:<name>) or of a parameter',
      );
    }
    return ok({ text, store, id: place, region, ...more });
  }
  const colon = place.indexOf(':');
  const store = place.slice(0, colon);
  const id = place.slice(colon + 1);
  if (store !== 'secretsmanager' && store !== 'ssm') {
    return wrong('does not name a store; write secretsmanager:<name>, ssm:/<path>, or an ARN');
  }
  if (!ownName[store].test(id)) return wrong(`does not have a valid name for ${storeNames[store]}`);
  return ok({ text, store, id, ...more });
}

export const storeNames = { secretsmanager: 'Secrets Manager', ssm: 'the Parameter Store' } as const;
