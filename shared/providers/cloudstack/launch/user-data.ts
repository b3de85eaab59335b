/** The user data of one machine: the class's text with its variables, encoded as CloudStack takes it. */
import { defined } from '../../../base/defined.ts';
import { describeProblems } from '../../../base/problems.ts';
import { failed, ok, type Result } from '../../../base/result.ts';
import { rememberSecret } from '../../../base/secrets/known-secrets.ts';
import { parseTemplate, renderTemplate, secretKeys } from '../../../bootstrap/template.ts';
import { encodeUserData } from '../../../bootstrap/user-data.ts';
import { nodeVariables } from '../../../bootstrap/variables.ts';
import type { ProviderContext } from '../../context.ts';
import type { CreateRequest } from '../../contract.ts';
import type { CloudStackNodeClassSpec } from '../node-class/schema.ts';
import { userDataLimits } from '../node-class/user-data.ts';

export interface UserDataParts {
  cluster: { name: string; endpoint?: string | undefined; ca?: string | undefined; version?: string | undefined };
  /** The Secret with the credentials; its keys that begin with `join-` may stand in user data. */
  secret: { namespace: string; name: string };
  secrets: ProviderContext['secrets'];
  /** The option; absent: as CloudStack has it where nobody changed it. */
  mostCharacters: number | undefined;
}

const field = 'spec.userData';

/** Why a machine's id is unknown, and where it learns it itself. */
const unknownId =
  'CloudStack gives the id with the deploy, unless the option customIds is set; let the machine ask for it: "$(cloud-init query v1.instance_id)"';

export async function userDataFor(
  spec: Pick<CloudStackNodeClassSpec, 'userData' | 'userDataSettings'>,
  request: CreateRequest,
  { id, providerID }: { id: string | undefined; providerID: string | undefined },
  parts: UserDataParts,
  signal: AbortSignal,
): Promise<Result<string | undefined>> {
  const { userData = '', userDataSettings: settings = {} } = spec;
  if (userData.trim() === '') return ok(undefined);
  const text =
    settings.template === false ? ok(userData) : await rendered(userData, request, id, providerID, parts, signal);
  if (!text.ok) return text;
  const encoded = encodeUserData(text.value, userDataLimits(parts.mostCharacters), field, settings.compress);
  return encoded.ok ? ok(encoded.value.base64) : encoded;
}

async function rendered(
  userData: string,
  request: CreateRequest,
  id: string | undefined,
  providerID: string | undefined,
  { cluster, secret: place, secrets }: UserDataParts,
  signal: AbortSignal,
): Promise<Result<string>> {
  const { template, problems } = parseTemplate(userData, field);
  if (problems.length > 0) return failed('invalid', describeProblems(problems), { problems, about: 'node-class' });
  const keys = secretKeys(template);
  const found = keys.length === 0 ? ok({}) : await secrets.read(place, signal);
  const secretName = `${place.namespace}/${place.name}`;
  if (!found.ok) {
    const { kind, message, cause } = found.error;
    const text = `${field} needs ${keys.join(', ')} of the Secret ${secretName}: ${message}`;
    return failed(kind === 'not-found' ? 'not-ready' : kind, text, defined({ cause }));
  }
  const secret: Readonly<Record<string, string>> = found.value;
  for (const key of keys) rememberSecret(secret[key]);
  const variables = nodeVariables({
    clusterName: cluster.name,
    clusterEndpoint: cluster.endpoint,
    clusterCA: cluster.ca,
    kubernetesVersion: cluster.version,
    claimName: request.claimName,
    name: request.name,
    instanceType: request.offering.instanceType,
    zone: request.offering.zone,
    capacityType: request.offering.capacityType,
    labels: request.labels,
    taints: request.taints,
    id,
    providerID,
  });
  const absent = { 'node.id': unknownId, 'node.provider-id': unknownId };
  const made = renderTemplate(template, { variables, secret, secretName, absent }, field);
  if (made.problems.length === 0) return ok(made.text);
  // The Secret may get its key any moment; everything else is for the class to change.
  const waits = keys.some((key) => secret[key] === undefined);
  const text = describeProblems(made.problems);
  return waits ? failed('not-ready', text) : failed('invalid', text, { problems: made.problems, about: 'node-class' });
}
